// Throughline inside OpenCode: events, what its sessions are told, the live window, compaction, and our MCP server.
import path from "node:path";
import { openCodeMessages } from "../dialects/index.ts";
import { defined, isObject, type JsonObject } from "../lib/index.ts";
import type { DescribedModel } from "../live/protocol.ts";
import { openHost, type PluginOptions } from "./host.ts";
import { type BusEvent, OpenCodeSessions } from "./openCodeSessions.ts";
import { openWindow, type PluginRequest, type PluginWindow } from "./window.ts";

/** What OpenCode hands to a plugin; see @opencode-ai/plugin. */
interface OpenCodeInput {
  readonly directory: string;
  readonly client: { readonly config: { providers(): Promise<{ readonly data?: unknown }> } };
}

interface HeldMessage extends JsonObject {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

interface SessionInput {
  readonly sessionID: string;
}

const fieldOf = (value: unknown, name: string): JsonObject => {
  const inner = isObject(value) ? value[name] : undefined;
  return isObject(inner) ? inner : {};
};

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The models that OpenCode knows, by `provider/model`, asked for once: they stay while it runs. */
function modelBook({ client }: OpenCodeInput) {
  let asked: Promise<ReadonlyMap<string, DescribedModel>> | undefined;
  const ask = async () => {
    const { data } = await client.config.providers();
    const providers = objects(isObject(data) ? data.providers : []);
    return new Map(
      providers.flatMap(({ id, models }) =>
        Object.entries(isObject(models) ? models : {}).map(
          ([name, model]) => [`${String(id)}/${name}`, describedModel(model)] as const,
        ),
      ),
    );
  };
  return async (provider: unknown, model: unknown): Promise<DescribedModel | undefined> => {
    asked ??= ask();
    // Without a description nothing new is planned; what is in force stays.
    const book = await asked.catch(() => undefined);
    const found = book?.get(`${String(provider)}/${String(model)}`);
    return found && found.window > 0 ? found : undefined;
  };
}

function describedModel(model: unknown): DescribedModel {
  const [limit, cost] = [fieldOf(model, "limit"), fieldOf(model, "cost")];
  const cache = fieldOf(cost, "cache");
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return {
    window: number(limit.context) ?? 0,
    ...defined({
      maxOutput: number(limit.output),
      input: number(cost.input),
      output: number(cost.output),
      cacheRead: number(cache.read),
      cacheWrite: number(cache.write),
    }),
  };
}

/** The conversation is that of the last prompt's model. */
const modelIn = (messages: readonly HeldMessage[]) =>
  fieldOf(messages.findLast(({ info }) => info.role === "user")?.info, "model");

/** The parts of a plugin that hold what is known between its hooks. */
interface Parts {
  readonly sessions: OpenCodeSessions;
  readonly window: PluginWindow;
  readonly describe: ReturnType<typeof modelBook>;
}

async function requestFor({ sessions, describe }: Parts, messages: readonly HeldMessage[]) {
  const { sessionID } = messages[0]?.info ?? {};
  const { providerID, modelID } = modelIn(messages);
  if (typeof sessionID !== "string" || typeof modelID !== "string") return undefined;
  const described = await describe(providerID, modelID);
  const request: PluginRequest = {
    ...sessions.placeOf(sessionID),
    model: modelID,
    ...defined({ described, system: sessions.systemOf(sessionID) }),
  };
  return { id: sessionID, request };
}

/** OpenCode asks its model for a summary of the messages that are to go: with ours there is nothing left to ask about. */
async function compact(parts: Parts, messages: HeldMessage[], id: string, request: PluginRequest) {
  const words = await parts.window.replaced(messages, request);
  if (words === undefined) return parts.sessions.compactsItself(id);
  parts.sessions.summarised(id, words);
  const last = messages.findLast(({ info }) => info.role === "user");
  messages.splice(0, messages.length, ...(last ? [last] : []));
}

/** In place: OpenCode keeps the list that it hands over. */
async function transform(parts: Parts, messages: HeldMessage[]) {
  const found = await requestFor(parts, messages);
  if (!found) return;
  if (parts.sessions.isCompacting(found.id)) return compact(parts, messages, found.id, found.request);
  const edited = await parts.window.edited(messages, found.request);
  if (edited !== messages) messages.splice(0, messages.length, ...(edited as readonly HeldMessage[]));
}

/** What one request used, in Anthropic's terms. */
function observe({ sessions, window }: Parts, { type, properties }: BusEvent): void {
  const { info } = properties;
  if (type !== "message.updated" || !isObject(info) || info.role !== "assistant") return;
  const [tokens, time] = [fieldOf(info, "tokens"), fieldOf(info, "time")];
  if (time.completed === undefined || info.summary === true || typeof info.sessionID !== "string") return;
  const { read = 0, write = 0 } = fieldOf(tokens, "cache");
  window.observe(
    { ...sessions.placeOf(info.sessionID), model: String(info.modelID) },
    {
      ...{ input_tokens: tokens.input ?? 0, output_tokens: tokens.output ?? 0 },
      ...{ cache_read_input_tokens: read, cache_creation_input_tokens: write },
    },
  );
}

/** Called by the plugin's file in OpenCode's folder; gives the hooks. */
export function throughline(input: OpenCodeInput, options: Omit<PluginOptions, "agent">) {
  const host = openHost({ agent: "opencode", ...options });
  const sessions = new OpenCodeSessions(host, input.directory);
  // OpenCode has no place for a line of ours.
  const window = openWindow(host, openCodeMessages, () => undefined);
  const parts: Parts = { sessions, window, describe: modelBook(input) };
  return {
    async config(config: { mcp?: Record<string, unknown> }) {
      const command = [options.node, path.join(options.folder, "dist", "cli.js"), "mcp"];
      const environment = defined({ THROUGHLINE_HOME: options.home });
      const own = { type: "local", command, environment };
      config.mcp = { throughline: own, ...config.mcp };
    },
    async event({ event }: { readonly event: BusEvent }) {
      sessions.told(event);
      observe(parts, event);
    },
    async "chat.message"({ sessionID }: SessionInput, { message, parts: own }: PromptOutput) {
      await sessions.prompted(sessionID, message, own);
    },
    async "experimental.chat.system.transform"(
      { sessionID }: Partial<SessionInput>,
      { system }: { readonly system: readonly string[] },
    ) {
      if (sessionID !== undefined) sessions.systemIs(sessionID, system);
    },
    async "experimental.chat.messages.transform"(
      _input: unknown,
      { messages }: { readonly messages: HeldMessage[] },
    ) {
      await transform(parts, messages);
    },
    async "experimental.session.compacting"({ sessionID }: SessionInput) {
      sessions.compacts(sessionID);
    },
    async "experimental.text.complete"({ sessionID }: SessionInput, output: { text: string }) {
      output.text = sessions.summaryFor(sessionID) ?? output.text;
    },
    async dispose() {
      await sessions.ended();
    },
  };
}

interface PromptOutput {
  readonly message: JsonObject;
  readonly parts: JsonObject[];
}
