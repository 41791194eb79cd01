// What a session would cost without edits: a client that sends everything, and has it summarised when its window is full.
import { cost, type ModelInfo } from "../tokens/index.ts";

/** Such a client's window after its last request; plain data, kept with the session. */
export interface PlainWindow {
  /** Tokens of the client's whole history, as it was then. */
  readonly history: number;
  /** Tokens of it that the client would still send. */
  readonly conversation: number;
}

export const emptyWindow: PlainWindow = { history: 0, conversation: 0 };

/** The same request as such a client would make it. */
export interface PlainRequest {
  /** Tokens of the client's whole history with this request. */
  readonly history: number;
  /** Tokens of system prompt and tools, our own tools left out. */
  readonly fixed: number;
  /** Prompt tokens above which the client has its conversation summarised. */
  readonly limit: number;
  readonly isCold: boolean;
  readonly ttl: "5m" | "1h";
  /** The request only brings back what an edit took out: the client would not have made it. */
  readonly isRecall: boolean;
}

/** Of a summary, as long as agents write them, and of the window behind it, files that are read again included. */
const SUMMARY_OUTPUT = 2_000;
const AFTER_SUMMARY = 10_000;

/** The window after one more request, and what its prompt would have cost. */
export function plainRequest(
  window: PlainWindow,
  { history, fixed, limit, isCold, ttl, isRecall }: PlainRequest,
  model: ModelInfo,
): { readonly window: PlainWindow; readonly dollars: number } {
  if (isRecall) return { window: { ...window, history }, dollars: 0 };
  const bill = (read: number, written: number, output: number) => {
    const [cacheWrite5m, cacheWrite1h] = ttl === "1h" ? [0, written] : [written, 0];
    return cost({ input: 0, cacheRead: read, cacheWrite5m, cacheWrite1h, output }, model);
  };
  // A history that has become shorter is another one: it went back to an earlier point.
  const isOther = history < window.history;
  const added = isOther ? 0 : history - window.history;
  const conversation = isOther ? Math.min(history, window.conversation) : window.conversation + added;
  const known = isCold || window.history === 0 ? 0 : fixed + Math.min(window.conversation, conversation);
  const total = fixed + conversation;
  if (total <= limit) return { window: { history, conversation }, dollars: bill(known, total - known, 0) };
  const short = Math.min(conversation, AFTER_SUMMARY + added);
  const dollars = bill(known, total - known, SUMMARY_OUTPUT) + bill(fixed, short, 0);
  return { window: { history, conversation: short }, dollars };
}
