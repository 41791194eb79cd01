// A session of a client whose requests pass a carrier: grows step by step, against an API that enforces window and pairs.
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";
import { type CarrierSeam, LiveCarrier, type RequestFacts } from "../../src/live/index.ts";
import type { Message } from "../../src/messages/index.ts";
import { enforcement } from "../scripted-api/enforce.ts";
import { type ApiRequest, readRequest } from "../scripted-api/request.ts";

export const MODEL = "claude-opus-5-5";

export interface SessionOptions {
  readonly session: string;
  readonly project: string;
  /** The window of the API, and the one that the client keeps to. */
  readonly window: number;
  readonly ask: CarrierSeam["ask"];
  readonly tell?: CarrierSeam["tell"];
  readonly record?: CarrierSeam["record"];
  readonly summarise?: CarrierSeam["summarise"];
  /** Milliseconds that the carrier gives a usual request. */
  readonly deadline?: number;
}

export interface SentRequest {
  readonly request: ApiRequest;
  readonly text: string;
  readonly refusal: string | undefined;
  readonly read: number;
  readonly written: number;
}

const result = (at: number, length: number): string =>
  Array.from(
    { length: Math.ceil(length / 60) },
    (_, line) => `step ${at} line ${line}: value_${at}_${line} = ${line * 7}`,
  ).join("\n");

/** Puts the breakpoint where Claude Code puts it: on the last block of the last message. */
function bodyOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const content =
    typeof last?.content === "string" ? [{ type: "text", text: last.content }] : [...(last?.content ?? [])];
  const marked = content.map((block, at) =>
    at === content.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
  );
  return JSON.stringify({
    model: MODEL,
    messages: [...messages.slice(0, -1), { ...last, content: marked }],
    system: [{ type: "text", text: "You are an agent." }],
    tools: [{ name: "Bash", input_schema: { type: "object" } }],
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    thinking: { type: "adaptive" },
    stream: true,
  });
}

/** A client with its carrier: `step` sends one request and appends what is answered. */
export function liveSession(options: SessionOptions) {
  const facts: RequestFacts = {
    ...{ kind: "main", session: options.session, project: options.project },
    ...{ client: "claude-code/2.1.325", window: options.window },
  };
  const rules = enforcement({ window: options.window, minCacheable: 100 });
  const seam: CarrierSeam = {
    ask: options.ask,
    tell: options.tell ?? (() => undefined),
    record: options.record ?? (async () => undefined),
    summarise: options.summarise ?? (async () => undefined),
    say: () => undefined,
  };
  let carrier = new LiveCarrier("proxy", seam, options.deadline ?? 60_000);
  const messages: Message[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>\nNever touch the harbour.\n</system-reminder>" },
        { type: "text", text: "go through the logs, one after the other" },
      ],
    },
    { role: "system", content: "# Environment\nPlatform: linux" },
  ];
  const sent: SentRequest[] = [];
  let edited: Awaited<ReturnType<LiveCarrier["edited"]>> | undefined;
  const send = async (): Promise<SentRequest> => {
    edited = await carrier.edited(bodyOf(messages), facts);
    const { text } = edited;
    const headers = { "anthropic-beta": "context-management-2025-06-27" };
    const request = readRequest({
      index: sent.length,
      method: "POST",
      path: "/v1/messages",
      headers,
      body: text,
    });
    const refusal = request.violations[0]?.meaning ?? rules.refusalOf(request);
    const usage = rules.usageOf(request);
    carrier.observe(facts, { model: MODEL, usage: { ...usage, output_tokens: 50 } });
    const one = {
      ...{ request, text, refusal },
      ...{ read: usage.cache_read_input_tokens ?? 0, written: usage.cache_creation_input_tokens ?? 0 },
    };
    sent.push(one);
    return one;
  };
  return {
    messages,
    sent,
    send,
    /** The last request again, after a refusal. */
    recover: async (refused: Parameters<LiveCarrier["recovered"]>[2]): Promise<string | undefined> =>
      edited && (await carrier.recovered(bodyOf(messages), facts, refused, edited))?.text,
    /** As after a restart of the client: what the carrier knew is gone. */
    restartCarrier: () => {
      carrier = new LiveCarrier("proxy", seam, options.deadline ?? 60_000);
    },
    async step(length: number): Promise<SentRequest> {
      const one = await send();
      const at = messages.length;
      const id = `toolu_${at}`;
      messages.push({
        role: "assistant",
        content: [
          { type: "text", text: `Log ${at} is next.` },
          { type: "tool_use", id, name: "Bash", input: { command: `cat ${at}.log` } },
        ],
      });
      const content = result(at, length);
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
      return one;
    },
    say(text: string): void {
      messages.push({ role: "assistant", content: [{ type: "text", text: "Done with that." }] });
      messages.push({ role: "user", content: text });
    },
  };
}

/** The messages of a request, without breakpoints and with lone texts as blocks: what the cache goes by. */
export function messagesIn(text: string): string[] {
  const body = parseJson(text);
  const list = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bare);
    if (!isObject(value)) return value;
    const { cache_control: _mark, ...rest } = value as JsonObject;
    const content = typeof rest.content === "string" ? [{ type: "text", text: rest.content }] : rest.content;
    const whole = rest.content === undefined ? rest : { ...rest, content };
    return Object.fromEntries(Object.entries(whole).map(([key, inner]) => [key, bare(inner)]));
  };
  return list.map((message) => JSON.stringify(bare(message)));
}
