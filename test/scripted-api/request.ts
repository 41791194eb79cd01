// One request as the scripted API received it: who asks, in which conversation, what was said last.
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";
import {
  blocksOf,
  check,
  isBlock,
  isToolResult,
  type Message,
  textOf,
  userWords,
  type Violation,
} from "../../src/messages/index.ts";

/**
 * `message` asks for the next reply of a conversation, `compaction` for the summary that will replace one,
 * `count` for a number of tokens, `models` for the list of models; `other` is any other path.
 */
type RequestKind = "message" | "compaction" | "count" | "models" | "other";

interface ToolResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ApiRequest {
  /** Place in the order of arrival, from 0. */
  readonly index: number;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly bytes: number;
  readonly kind: RequestKind;
  /** The agent's session, where it says so in a header. */
  readonly session: string | undefined;
  /** Set in requests of a subagent. */
  readonly agent: string | undefined;
  readonly messages: readonly Message[];
  readonly system: string;
  /** The words a person (or, for a subagent, its caller) said last; the same for all steps of a turn. */
  readonly prompt: string;
  /** All text behind the last reply: words, tool results, reminders. */
  readonly news: string;
  /** The results that answer the last reply's calls. */
  readonly results: readonly ToolResult[];
  /** What the real API would refuse in the messages. */
  readonly violations: readonly Violation[];
}

interface RawRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Claude Code asks for a summary with these words; they stand in the last user message and nowhere else. */
const compactionRequest = /CRITICAL: Respond with TEXT ONLY/;

export function readRequest(raw: RawRequest): ApiRequest {
  const parsed = parseJson(raw.body);
  const body = isObject(parsed) ? parsed : {};
  const messages = Array.isArray(body.messages) ? body.messages.filter(isMessage) : [];
  const news = messagesAfterReply(messages);
  const text = news.map(wholeText).join("\n");
  return {
    index: raw.index,
    method: raw.method,
    path: raw.path,
    headers: raw.headers,
    body,
    bytes: Buffer.byteLength(raw.body),
    kind: kindOf(raw.path, text),
    session: raw.headers["x-claude-code-session-id"],
    agent: raw.headers["x-claude-code-agent-id"],
    messages,
    system: textOf(body.system),
    prompt: lastWords(messages),
    news: text,
    results: news.flatMap(resultsOf),
    violations: raw.path.startsWith("/v1/messages") ? check(messages) : [],
  };
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value.role !== "string") return false;
  return typeof value.content === "string" || (Array.isArray(value.content) && value.content.every(isBlock));
}

function kindOf(path: string, news: string): RequestKind {
  const { pathname } = new URL(path, "http://localhost");
  if (pathname === "/v1/messages") return compactionRequest.test(news) ? "compaction" : "message";
  if (pathname === "/v1/messages/count_tokens") return "count";
  return pathname === "/v1/models" || pathname.startsWith("/v1/models/") ? "models" : "other";
}

function messagesAfterReply(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function wholeText(message: Message): string {
  return blocksOf(message)
    .map((block) => (isToolResult(block) ? textOf(block.content) : textOf([block])))
    .join("\n");
}

function resultsOf(message: Message): ToolResult[] {
  return blocksOf(message)
    .filter(isToolResult)
    .map(({ tool_use_id, content, is_error }) => ({
      id: tool_use_id,
      text: textOf(content),
      isError: is_error === true,
    }));
}

function lastWords(messages: readonly Message[]): string {
  for (const message of messages.toReversed()) {
    const words = userWords({ message });
    if (words !== "") return words;
  }
  return "";
}
