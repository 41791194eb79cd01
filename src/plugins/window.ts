// The live window inside an agent: its messages as ours, the worker's edits, and those carried out on the agent's own messages.
import { type MessageDialect, rewriteItems } from "../dialects/index.ts";
import { isObject, type JsonObject } from "../lib/index.ts";
import { LiveCarrier, type RequestFacts } from "../live/carrier.ts";
import { workerSeam } from "../proxy/workerSeam.ts";
import type { PluginHost } from "./host.ts";

/** What the agent knows of a request beside its messages. */
export interface PluginRequest
  extends Pick<RequestFacts, "session" | "project" | "transcript" | "described"> {
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
    const facts: RequestFacts = { kind: "main", ...about, ...(window !== undefined && { window }) };
    return { read, text, facts };
  };
  return {
    async edited(items, request) {
      const { read, text, facts } = prepared(items, request);
      const { made } = await carrier.edited(text, facts);
      return made === 0 ? items : (rewriteItems(dialect, items, read, carrier.applied(facts)) ?? items);
    },
    async compacted(items, request) {
      const { read, text, facts } = prepared(items, request);
      const before = await carrier.edited(text, { ...facts, kind: "branch" });
      const limit = request.described?.window;
      const refused = { attempt: 0, ...(limit !== undefined && { limit }) };
      await carrier.recovered(text, facts, refused, before);
      const span = carrier
        .applied(facts)
        .findLast((edit) => edit.kind === "span" && edit.messages.length > 0);
      if (span?.kind !== "span") return undefined;
      return {
        summary: span.messages.map(textIn).join("\n\n"),
        firstKept: read.sources[span.end]?.[0]?.item ?? items.length,
      };
    },
    observe({ model, ...about }, usage) {
      const { session, project } = about;
      carrier.observe({ kind: "main", session, project }, { model, usage });
    },
  };
}
