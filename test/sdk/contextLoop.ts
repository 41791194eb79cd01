// Contexts on the official client, against an API that enforces its rules in a small window.
import Anthropic from "@anthropic-ai/sdk";
import { afterEach } from "vitest";
import { type ContextEvents, createContext } from "../../src/sdk/index.ts";
import { temporaryFolder } from "../fixtures/transcript/session.ts";
import { type ScriptedApi, startScriptedApi } from "../scripted-api/index.ts";
import { longWork, promptOf, readPart, readPartTool, type WorkOptions } from "./longWork.ts";

/** Small enough for a compaction every few turns. */
const WINDOW = 45_000;
export const models = (model: string) => ({ [model]: { window: WINDOW } });
export const clientOf = ({ url }: ScriptedApi) => new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });

export type OpenedContext = ReturnType<ReturnType<typeof contexts>["open"]>["context"];

/** An API for every test of the calling file, and a folder for the contexts of all. */
export function contexts() {
  const folder = temporaryFolder();
  let api: ScriptedApi | undefined;
  afterEach(() => api?.close());
  return {
    folder,
    async start(work: WorkOptions, bindsThinking = false) {
      api = await startScriptedApi({ scenario: longWork(work), enforce: { window: WINDOW, bindsThinking } });
      return api;
    },
    open(server: ScriptedApi, model: string, session: string) {
      const context = createContext({
        client: clientOf(server),
        session,
        folder: folder.path,
        project: "p",
        models: models(model),
      });
      const events: { [Name in keyof ContextEvents]: ContextEvents[Name][] } = {
        edit: [],
        compaction: [],
        recall: [],
        receipt: [],
        warning: [],
      };
      context.on("edit", (event) => events.edit.push(event));
      context.on("compaction", (event) => events.compaction.push(event));
      context.on("recall", (event) => events.recall.push(event));
      context.on("receipt", (event) => events.receipt.push(event));
      context.on("warning", (event) => events.warning.push(event));
      return { context, events };
    },
  };
}

export async function createLoop(context: OpenedContext, model: string, turns: readonly number[]) {
  const messages = context.history();
  for (const turn of turns) {
    messages.push({ role: "user", content: promptOf(turn) });
    for (;;) {
      const response = await context.client.messages.create({
        model,
        max_tokens: 4_096,
        system: "You look into things.",
        tools: [readPartTool, ...context.tools],
        messages,
      });
      messages.push({ role: "assistant", content: response.content });
      if (response.stop_reason !== "tool_use") break;
      messages.push({
        role: "user",
        content: await context.answer(response, ({ input }) => readPart(input)),
      });
    }
  }
}

export const turnsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
