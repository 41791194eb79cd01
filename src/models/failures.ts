// Maps the error responses of all kinds of servers to one named failure.
import { defined, isObject, type JsonObject, optionalString, parseJson } from "../lib/index.ts";
import type { ModelError } from "./model.ts";

interface ModelRefusal {
  /** Absent for errors that arrive in the middle of a stream. */
  readonly status?: number;
  /** The body as it came, JSON or not. */
  readonly body: unknown;
  /** Reads a header; absent where there is none to read. */
  readonly header?: (name: string) => string | null | undefined;
}

const OVERLOADED = 529;
const LONGEST_ERROR_MESSAGE = 500;

export function failureOf(refusal: ModelRefusal): ModelError {
  const { status } = refusal;
  const { message, words, detail } = parsedErrorBody(refusal.body, status);
  const tooLong = promptTooLong(words, detail, status);
  if (tooLong) return { kind: "prompt-too-long", message, ...tooLong };
  const wait = defined({ retryAfter: waitAsked(refusal) });
  const type = String(detail.type ?? detail.code ?? "");
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED|insufficient_quota/i.test(type))
    return { kind: "rate-limited", message, ...wait };
  if (status === OVERLOADED || status === 503 || /overloaded|UNAVAILABLE/i.test(type))
    return { kind: "overloaded", message, ...wait };
  if (status === 401 || status === 403 || /authentication|permission/i.test(type))
    return { kind: "unauthorized", message };
  if (status === 404) return { kind: "unavailable", message };
  if (status === undefined ? !/invalid_request/i.test(type) : status >= 500 || status === 408)
    return { kind: "unavailable", message, transient: true };
  return { kind: "refused", message };
}

/**
 * Bodies are `{error: {message, type, code}}`, `{error: "…"}`, `{message}`, a list of one of these, or no JSON at all.
 * `message` is for people, `words` for patterns.
 */
function parsedErrorBody(raw: unknown, status: number | undefined) {
  const parsed = typeof raw === "string" ? (parseJson(raw) ?? raw) : raw;
  const body = Array.isArray(parsed) ? parsed[0] : parsed;
  const error = isObject(body) ? (body.error ?? body) : body;
  const detail = isObject(error) ? error : {};
  const said = typeof detail.message === "string" ? detail.message : (optionalString(error) ?? "");
  const words = said || (optionalString(raw) ?? "");
  const numbered = status === undefined ? "" : `${status} `;
  const message = `${numbered}${words.trim() || "without a reason"}`.slice(0, LONGEST_ERROR_MESSAGE);
  return { message, words: `${words}\n${String(detail.code ?? "")} ${String(detail.type ?? "")}`, detail };
}

/** Each pattern finds the size of the prompt, of the window, or both, in the message of one family of servers. */
const sizes: readonly RegExp[] = [
  /prompt is too long: (?<tokens>[\d,]+) tokens > (?<limit>[\d,]+)/i,
  /input length and `?max_tokens`? exceed context limit: (?<tokens>[\d,]+) \+ (?<output>[\d,]+) > (?<limit>[\d,]+)/i,
  /the request is ~?(?<tokens>[\d,]+) tokens \(limit (?<limit>[\d,]+)\)/i,
  /maximum context length is (?<limit>[\d,]+) tokens[\s\S]*?(?:resulted in|requested(?: about)?) (?<tokens>[\d,]+) tokens/i,
  /maximum context length is (?<limit>[\d,]+) tokens/i,
  /input token count \(?(?<tokens>[\d,]+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i,
  /request \((?<tokens>[\d,]+) tokens\) exceeds the available context size \((?<limit>[\d,]+)/i,
];

const tooLongWords =
  /prompt is too long|context_length_exceeded|exceed_context_size|exceeds? the (?:available )?context|context (?:length|window|size|limit)[^.]{0,40}exceed|input is too long|too many (?:input )?tokens|input token count[^.]{0,40}exceeds|request_too_large/i;

type Sizes = { tokens?: number; limit?: number; gap?: number };

function promptTooLong(words: string, detail: JsonObject, status: number | undefined): Sizes | undefined {
  // A rate limit also mentions too many tokens, but there waiting helps and shortening does not.
  if (status === 429 || status === OVERLOADED) return undefined;
  for (const pattern of sizes) {
    const found = pattern.exec(words)?.groups;
    if (found) return sizesOf(digits(found.tokens), digits(found.limit), digits(found.output) ?? 0);
  }
  if (typeof detail.n_prompt_tokens === "number" && typeof detail.n_ctx === "number")
    return sizesOf(detail.n_prompt_tokens, detail.n_ctx, 0);
  return status === 413 || tooLongWords.test(words) ? {} : undefined;
}

function digits(text: string | undefined) {
  return text === undefined ? undefined : Number(text.replaceAll(",", ""));
}

function sizesOf(tokens: number | undefined, limit: number | undefined, output: number): Sizes {
  const gap = tokens === undefined || limit === undefined ? 0 : tokens + output - limit;
  return defined({ tokens, limit, gap: gap > 0 ? gap : undefined });
}

/** The prompt-too-long failure in a text, for programs that print instead of answering with a status. */
export function tooLongIn(text: string): ModelError | undefined {
  const found = promptTooLong(text, {}, undefined);
  return found && { kind: "prompt-too-long", message: text.trim().slice(0, LONGEST_ERROR_MESSAGE), ...found };
}

/** Milliseconds, from `retry-after-ms`, `retry-after` in seconds or as a date, or a delay in the body. */
function waitAsked({ header, body }: ModelRefusal) {
  const exact = Number(header?.("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const asked = header?.("retry-after");
  if (asked) {
    const seconds = Number(asked);
    const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(asked) - Date.now();
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  const delay = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1_000;
}
