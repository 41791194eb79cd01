// What hooks need of the adapters: a payload of any agent in the form of Claude Code's. Loaded by hooks of other agents only.
import type { JsonObject } from "../lib/index.ts";
import { codexPayload } from "./codex/events.ts";

/** Plugins give their hooks what Claude Code would. */
const asItIs = (payload: JsonObject) => payload;

const readers: Readonly<Record<string, (payload: JsonObject) => JsonObject>> = {
  codex: codexPayload,
  pi: asItIs,
  opencode: asItIs,
};

/** Undefined for an agent that is not known: its payload may mean anything. */
export const payloadOf = (agent: string, payload: JsonObject) =>
  Object.hasOwn(readers, agent) ? readers[agent]?.(payload) : undefined;
