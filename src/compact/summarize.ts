// Asks a model for the summary of a conversation: at most four requests, each one smaller, and an answer that is judged.
import { firstCharacters } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isThinking,
  isUserInput,
  textOf,
  toolPairs,
  userWords,
} from "../messages/index.ts";
import type { LanguageModel, ModelError, ModelOutcome, ModelReply, ModelRequest } from "../models/index.ts";
import { estimateMessage, type ThinkingRegime, type TokenizerFamily } from "../tokens/index.ts";
import { contains, judgeAnswer, type Rejection } from "./answer.ts";
import { isAttachment } from "./attachmentTexts.ts";
import { type SummaryMode, summaryPrompt } from "./prompts.ts";
import { startWithout } from "./rounds.ts";
import { type MainCall, type SummaryForm, type SummaryRequests, summaryRequests } from "./summaryRequest.ts";
import { renderTranscript } from "./transcriptText.ts";

export interface SummaryInput {
  readonly mode: SummaryMode;
  /** The messages of the session's next request, with what the modes leave verbatim. */
  readonly history: History;
  /** Id of the item at which the partial modes divide: `partial` replaces from it on, `partial-up-to` all before it. */
  readonly pivot?: string;
  readonly main: MainCall;
  readonly regime: ThinkingRegime;
  readonly family: TokenizerFamily;
  readonly model: LanguageModel;
  /** Further wishes: of the call first, then the project's. */
  readonly instructions?: readonly string[];
  /** Chosen by the model's dialect and the regime when absent. */
  readonly form?: SummaryForm;
  /** Tokens a summary may take. */
  readonly maxTokens?: number;
  /** Window of the model that is asked. With it no larger request is sent. */
  readonly window?: number;
  /** What a token of our estimate is in truth, where a counter has learned it; else a cautious guess. */
  readonly rate?: number;
  /** Hides secrets from a model that is not the session's own; the session's own has seen them already. */
  redact(text: string): string | Promise<string>;
  /** Messages that were attached after an earlier compaction and need no summary. */
  isAttachment?(item: HistoryItem): boolean;
  readonly signal?: AbortSignal;
}

type SummaryFailure =
  /** There is no message to sum up, or no place where the modes could divide. */
  | { readonly reason: "nothing"; readonly message: string }
  /** What is left cannot be made small enough. */
  | { readonly reason: "too-long"; readonly message: string }
  | { readonly reason: "model"; readonly message: string; readonly error: ModelError }
  | { readonly reason: "rejected"; readonly message: string; readonly rejection: Rejection };

interface SummaryEffort {
  readonly form: SummaryForm;
  /** Requests that were sent. */
  readonly requests: number;
  /** Ids of messages that the summariser did not get to see. */
  readonly unseen: readonly string[];
}

type SummaryOutcome = SummaryEffort &
  (
    | { readonly ok: true; readonly summary: string; readonly tokens: number; readonly reply: ModelReply }
    | { readonly ok: false; readonly failure: SummaryFailure }
  );

/** A summary seldom needs more; the window keeps this much free for it. */
export const SUMMARY_TOKENS = 20_000;
export const PROMPT_TOO_LONG_RETRIES = 3;
const CAUTIOUS_RATE = 1.15;

/** Never rejects for what a model does or does not do. */
export async function summarize(input: SummaryInput): Promise<SummaryOutcome> {
  const form = input.form ?? formFor(input.model, input.regime);
  const material = materialFor(input);
  const none: SummaryEffort = { form, requests: 0, unseen: [] };
  if (material.seen.length === 0 || material.replaced.length === 0)
    return { ...none, ok: false, failure: { reason: "nothing", message: "there is nothing to sum up" } };
  const requests = summaryRequests(form, {
    prompt: summaryPrompt({
      mode: input.mode,
      ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
      ...(input.mode === "partial" ? { pivot: openingOf(material.replaced) } : {}),
    }),
    main: input.main,
    regime: input.regime,
    family: input.family,
    maxTokens: input.maxTokens ?? SUMMARY_TOKENS,
    isAttachment: input.isAttachment ?? isAttachment,
    redact: (text) => input.redact(text),
  });
  const asked = await askWithinBounds(input, requests, material.seen);
  const effort: SummaryEffort = {
    form,
    requests: asked.requests,
    unseen: material.seen.slice(0, asked.start).map(({ id }) => id),
  };
  if (!asked.ok) return { ...effort, ok: false, failure: asked.failure };
  const judgement = judgeAnswer(asked.reply, {
    replaced: sizeOf(material.replaced, input.family),
    family: input.family,
    wasSaid: (words) => contains(renderTranscript(input.history), words),
  });
  if (judgement.ok) return { ...effort, ...judgement, reply: asked.reply };
  const { rejection } = judgement;
  return { ...effort, ok: false, failure: { reason: "rejected", message: rejection.message, rejection } };
}

/** Only the session's own model can go on from its messages; in the legacy regime nothing is gained by that. */
function formFor(model: LanguageModel, regime: ThinkingRegime): SummaryForm {
  if (model.dialect === "text") return "rendered";
  return regime === "legacy" ? "own-call" : "continued";
}

interface Material {
  /** What the summariser gets to see. */
  readonly seen: History;
  /** What its summary will replace. */
  readonly replaced: History;
}

function materialFor({ mode, history, pivot }: SummaryInput): Material {
  if (mode === "base") {
    const seen = closed(history);
    return { seen, replaced: seen };
  }
  const at = history.findIndex(({ id }) => id === pivot);
  if (at === -1) return { seen: [], replaced: [] };
  if (mode === "partial-up-to") {
    const seen = closed(history.slice(0, at));
    return { seen, replaced: seen };
  }
  const seen = closed(history);
  return { seen, replaced: seen.slice(at) };
}

/** Up to a point at which a user may speak: no call is open, no answer broke off in thought, no system message is last. */
export function closed(history: History): History {
  let end = history.length;
  const lastAnswer = history.findLastIndex(({ message }) => message.role === "assistant");
  const open = toolPairs(history).find(({ result, useAt }) => !result && useAt.item >= lastAnswer);
  if (open) end = open.useAt.item;
  while (end > 0 && !maySpeakAfter(history[end - 1])) end -= 1;
  return history.slice(0, end);
}

function maySpeakAfter(item: HistoryItem | undefined) {
  if (item === undefined || item.message.role === "system") return false;
  const last = blocksOf(item.message).at(-1);
  return last !== undefined && !isThinking(last);
}

const OPENING = 160;

/** How the first message that says something begins, on one line. */
function openingOf(items: History) {
  const spoken = items.find(isUserInput);
  const text = spoken ? userWords(spoken) : textOf(items[0]?.message.content);
  return firstCharacters(text.replace(/\s+/g, " ").trim(), OPENING);
}

type Asked = { readonly requests: number; readonly start: number } & (
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: SummaryFailure }
);

/** Leaves out the oldest rounds until the window takes the rest, before the first request and after each refusal. */
async function askWithinBounds(
  input: SummaryInput,
  requests: SummaryRequests,
  seen: History,
): Promise<Asked> {
  let start = fittingStart(input, requests, seen);
  for (let sent = 0; start !== undefined; ) {
    const items = seen.slice(start);
    const outcome = await complete(input, await requests.request(items, start > 0));
    sent += 1;
    if (outcome.ok) return { ok: true, reply: outcome.reply, requests: sent, start };
    const { error } = outcome;
    if (error.kind !== "prompt-too-long" || sent > PROMPT_TOO_LONG_RETRIES) {
      const failure: SummaryFailure = { reason: "model", message: error.message, error };
      return { ok: false, failure, requests: sent, start };
    }
    // The API's own count says by how much our estimate is off.
    const rate = error.tokens === undefined ? 1 : error.tokens / (requests.fixed + requests.weigh(items));
    const further = startWithout(items, error.gap, (part) => requests.weigh(part) * Math.max(rate, 0.1));
    if (further === undefined) {
      const failure: SummaryFailure = { reason: "too-long", message: error.message };
      return { ok: false, failure, requests: sent, start };
    }
    start += further;
  }
  const message = "the last round alone does not fit into the summariser's window";
  return { ok: false, failure: { reason: "too-long", message }, requests: 0, start: 0 };
}

/** Where to begin so that the first request fits; undefined when not even the last round does. */
function fittingStart(input: SummaryInput, requests: SummaryRequests, seen: History) {
  if (input.window === undefined) return 0;
  const room = (input.window - (input.maxTokens ?? SUMMARY_TOKENS)) / (input.rate ?? CAUTIOUS_RATE);
  const gap = requests.fixed + requests.weigh(seen) - room;
  if (gap <= 0) return 0;
  const start = startWithout(seen, gap, requests.weigh);
  if (start === undefined || requests.fixed + requests.weigh(seen.slice(start)) > room) return undefined;
  return start;
}

async function complete({ model, signal }: SummaryInput, request: ModelRequest): Promise<ModelOutcome> {
  const outcome = await model.complete(request, signal === undefined ? {} : { signal });
  if (outcome.ok && outcome.reply.stopReason === "model_context_window_exceeded") {
    // It was let in and ran into the wall while answering: too long all the same.
    return {
      ok: false,
      error: { kind: "prompt-too-long", message: "the window was full before the summary was" },
    };
  }
  return outcome;
}

const sizeOf = (items: History, family: TokenizerFamily) =>
  items.reduce((sum, { message }) => sum + estimateMessage(message, family), 0);
