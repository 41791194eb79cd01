// Enforces the API's rules: incoming messages are repaired or refused, outgoing messages are checked once more.
import { commonStart, ThroughlineError } from "../lib/index.ts";
import {
  check,
  type History,
  isOpenEnd,
  type Message,
  type Repair,
  repair,
  requestLimits,
  type ViolationCode,
  violationMeanings,
} from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";

/**
 * The history as it can be sent. Only what is new behind `known`, a history that was found valid, is looked at: a
 * valid beginning stays so. Throws `invalid-history`.
 */
export function validHistory(
  history: History,
  known: History,
): { readonly history: History; readonly repairs: readonly Repair[] } {
  if (violationsBehind(history, commonStart(known, history), true).length === 0)
    return { history, repairs: [] };
  const messages = history.map(({ message }) => message);
  const { messages: mended, sources, repairs } = repair(messages);
  return { history: sources ? followed(history, mended, sources) : history, repairs };
}

/** What is wrong from `known` on: judged with its neighbours, back to the assistant message that it may answer. */
function violationsBehind(history: History, known: number, allowPrefill: boolean) {
  const roleAt = (at: number): string | undefined => history[at]?.message.role;
  let from = Math.min(known, history.length - 1);
  while (from > 0 && !(roleAt(from) === "assistant" && roleAt(from - 1) === "user")) from--;
  const lead: readonly Message[] = from === 0 ? [] : [{ role: "user", content: "…" }];
  const part = [...lead, ...history.slice(from).map(({ message }) => message)];
  return check(part, { allowPrefill }).filter(({ code, message }) => !isOpenEnd(part, code, message));
}

/** Names and provenance follow their messages through a repair; a message that was put in is named by its neighbour. */
function followed(
  history: History,
  messages: readonly Message[],
  sources: readonly (number | undefined)[],
): History {
  let previous = "";
  return messages.map((message, at) => {
    const source = history[sources[at] ?? -1];
    previous = source?.id ?? `${previous}:repair`;
    if (source?.message === message) return source;
    return { ...source, id: previous, message };
  });
}

/** Throws before messages that break the API's rules are returned. */
export function assertValid(sent: History, lastSent: History, model: ModelInfo) {
  const allowPrefill = model.prefill || sent.at(-1)?.message.role === "assistant";
  const broken = violationsBehind(sent, commonBeginning(lastSent, sent), allowPrefill)[0];
  if (broken) throw brokenRuleError(broken.code, broken.meaning);
}

/** A conversation that grew message by message past what a whole request may hold. */
export function assertWithinLimits({ bytes, images }: { readonly bytes: number; readonly images: number }) {
  const code: ViolationCode | undefined =
    bytes > requestLimits.maxBytes
      ? "too-large"
      : images > requestLimits.maxImages
        ? "too-many-images"
        : undefined;
  if (code !== undefined) throw brokenRuleError(code, violationMeanings[code]);
}

function brokenRuleError(code: ViolationCode, meaning: string) {
  const isSize = code === "too-large" || code === "too-many-images";
  return new ThroughlineError(
    "invalid-history",
    `the prepared request would break a rule: ${meaning}`,
    isSize
      ? "start a new conversation, or clear large images and documents"
      : "report this with the session's ledger",
  );
}

/** How many messages two histories begin with alike. */
export function commonBeginning(a: History, b: History) {
  return commonStart(a, b, (one, other) => one === other || one.message === other.message);
}
