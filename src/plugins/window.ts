// The live window inside an agent: its messages as ours, the worker's edits, and those carried out on the agent's own messages.
import { type MessageDialect, rewriteItems } from "../dialects/index.ts";
import { defined, isObject, type JsonObject } from "../lib/index.ts";
import { LiveCarrier, type RequestFacts } from "../live/carrier.ts";
import { blocksOf, type Message, textOf } from "../messages/index.ts";
import { workerSeam } from "../proxy/workerSeam.ts";
import type { PluginHost } from "./host.ts";

/** What the agent knows of a request beside its messages. */
export interface PluginRequest
  extends Pick<RequestFacts, "session" | "agent" | "project" | "transcript" | "described"> {
  readonly model: string;
  readonly system?: string;
  readonly tools?: readonly unknown[];
}

/** A compaction of the whole conversation. */
interface PluginCompaction {
  /** What the model is to read instead of the beginning. */
  readonly summary: string;
  /** The first item that stays as it is; the number of items where none does. */
  readonly firstKept: number;
}

export interface PluginWindow {
  /** The messages to send instead of these; the very list where nothing is edited. Never rejects. */
  edited(items: readonly JsonObject[], request: PluginRequest): Promise<readonly JsonObject[]>;
  /** Undefined where the worker does not answer or has nothing to say. */
  compacted(items: readonly JsonObject[], request: PluginRequest): Promise<PluginCompaction | undefined>;
  /** The same for an agent that takes words instead of all these messages: what would stay is told as text. */
  replaced(items: readonly JsonObject[], request: PluginRequest): Promise<string | undefined>;
  /** What the API answered, as `usage` of Anthropic's form. */
  observe(request: PluginRequest, usage: JsonObject): void;
}

/** Milliseconds that a request waits for new edits: agents are slower than that between two requests. */
const DEADLINE_MS = 250;

const textIn = (message: string) => {
  const { content } = JSON.parse(message) as { readonly content: unknown };
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ text }) => (typeof text === "string" ? text : [])).join("\n");
};

/** Of one block that is told as text; the exact bytes are behind the handles of the compaction. */
const MOST_CHARACTERS = 2_000;

/** A message as text, for a summary that stands for it. */
function asText({ role, content }: Message): string {
  const blocks = blocksOf({ role, content }).map((block) => {
    if (block.type === "tool_use") return `${String(block.name)} ${JSON.stringify(block.input)}`;
    return block.type === "tool_result" ? textOf(block.content) : textOf([block]);
  });
  const texts = blocks.map((text) =>
    text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text,
  );
  return `${role}: ${texts.filter((text) => text !== "").join("\n")}`;
}

export function openWindow(
  host: PluginHost,
  dialect: MessageDialect,
  say: (line: string) => void,
): PluginWindow {
  const { home, socket } = host;
  // The hooks start a worker where none is.
  const seam = workerSeam({ home, socket, start: () => undefined, say });
  const deadline = Number(process.env.THROUGHLINE_LIVE_DEADLINE_MS) || DEADLINE_MS;
  const carrier = new LiveCarrier("plugin", { ...seam, summarise: async () => undefined }, deadline);
  const prepared = (items: readonly JsonObject[], { model, system, tools, ...about }: PluginRequest) => {
    const read = dialect.read(items);
    const text = JSON.stringify({ model, system, tools, messages: read.messages });
    const window = about.described?.window;
    const kind = about.agent === undefined ? "main" : "subagent";
    const facts: RequestFacts = { kind, ...about, ...(window !== undefined && { window }) };
    return { read, text, facts };
  };
  const compact = async (items: readonly JsonObject[], request: PluginRequest) => {
    const { read, text, facts } = prepared(items, request);
    const before = await carrier.edited(text, { ...facts, kind: "branch" });
    const limit = request.described?.window;
    const refused = { attempt: 0, ...(limit !== undefined && { limit }) };
    await carrier.recovered(text, facts, refused, before);
    const span = carrier.applied(facts).findLast((edit) => edit.kind === "span" && edit.messages.length > 0);
    if (span?.kind !== "span") return undefined;
    return { read, end: span.end, summary: span.messages.map(textIn).join("\n\n") };
  };
  return {
    async edited(items, request) {
      const { read, text, facts } = prepared(items, request);
      const { made } = await carrier.edited(text, facts);
      return made === 0 ? items : (rewriteItems(dialect, items, read, carrier.applied(facts)) ?? items);
    },
    async compacted(items, request) {
      const made = await compact(items, request);
      if (!made) return undefined;
      return { summary: made.summary, firstKept: made.read.sources[made.end]?.[0]?.item ?? items.length };
    },
    async replaced(items, request) {
      const made = await compact(items, request);
      return made && [made.summary, ...made.read.messages.slice(made.end).map(asText)].join("\n\n");
    },
    observe({ model, ...about }, usage) {
      const { session, project, agent } = about;
      carrier.observe({ kind: "main", session, project, ...defined({ agent }) }, { model, usage });
    },
  };
}
