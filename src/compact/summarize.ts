// Asks a model for the summary of a conversation: at most four requests, each one smaller, and an answer that is judged.
import { defined, firstCharacters, singleLine, sumOf } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
  isThinking,
  isUserInput,
  textOf,
  toolPairs,
  userWords,
} from "../messages/index.ts";
import { complete } from "../models/complete.ts";
import type { LanguageModel, ModelError, ModelOutcome, ModelReply, ModelRequest } from "../models/index.ts";
import { estimateMessage, type ThinkingRegime, type TokenizerFamily } from "../tokens/index.ts";
import { contains, judgeAnswer, type Rejection } from "./answer.ts";
import { isAttachment } from "./attachments.ts";
import { type SummaryMode, summaryPrompt } from "./prompts.ts";
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
  /** Further instructions: of the call first, then the project's. */
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
      ...defined({
        instructions: input.instructions,
        pivot: input.mode === "partial" ? openingOf(material.replaced) : undefined,
      }),
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
    replaced: sumOf(material.replaced, ({ message }) => estimateMessage(message, input.family)),
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

interface SummaryMaterial {
  /** What the summariser gets to see. */
  readonly seen: History;
  /** What its summary will replace. */
  readonly replaced: History;
}

function materialFor({ mode, history, pivot }: SummaryInput): SummaryMaterial {
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
  if (!item || item.message.role === "system") return false;
  const last = blocksOf(item.message).at(-1);
  return last !== undefined && !isThinking(last);
}

const PIVOT_OPENING = 160;

/** How the first message that says something begins, on one line. */
function openingOf(items: History) {
  const spoken = items.find(isUserInput);
  const text = spoken ? userWords(spoken) : textOf(items[0]?.message.content);
  return firstCharacters(singleLine(text), PIVOT_OPENING);
}

type SummaryAttempt = { readonly requests: number; readonly start: number } & (
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: SummaryFailure }
);

/** Leaves out the oldest rounds until the window takes the rest, before the first request and after each refusal. */
async function askWithinBounds(
  input: SummaryInput,
  requests: SummaryRequests,
  seen: History,
): Promise<SummaryAttempt> {
  let start = fittingStart(input, requests, seen);
  for (let sent = 0; start !== undefined; ) {
    const items = seen.slice(start);
    const outcome = await completeSummary(input, await requests.request(items, start > 0));
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

async function completeSummary(
  { model, signal }: SummaryInput,
  request: ModelRequest,
): Promise<ModelOutcome> {
  const outcome = await complete(model, request, defined({ signal }));
  if (outcome.ok && outcome.reply.stopReason === "model_context_window_exceeded") {
    // It was let in and ran into the wall while answering: too long all the same.
    return {
      ok: false,
      error: { kind: "prompt-too-long", message: "the window was full before the summary was" },
    };
  }
  return outcome;
}

export const ON_DEMAND_BETA = "compact-2026-09-04";

interface OnDemandInput extends Pick<SummaryInput, "main" | "model" | "instructions" | "signal"> {
  /** What is to be replaced: the next request sends the block in its place, and everything after it unchanged. */
  readonly history: History;
  readonly maxTokens: number;
}

type OnDemandOutcome =
  /** The block goes first into the next request, in a message of the assistant. */
  | { readonly ok: true; readonly block: Block; readonly reply: ModelReply }
  | { readonly ok: false; readonly message: string; readonly error?: ModelError };

/** Sends one request and no retry: the caller has a summary to fall back on. */
export async function compactOnDemand(input: OnDemandInput): Promise<OnDemandOutcome> {
  const { history, model, signal } = input;
  if (model.dialect !== "messages") return { ok: false, message: `${model.name} cannot compact by itself` };
  if (history.length === 0 || closed(history).length < history.length)
    return { ok: false, message: "the part to compact ends in an open call or is empty" };
  const outcome = await complete(model, onDemandRequest(input), defined({ signal }));
  if (!outcome.ok) return { ok: false, message: outcome.error.message, error: outcome.error };
  const block = outcome.reply.blocks.find(({ type }) => type === "compaction");
  if (!block || typeof block.content !== "string" || block.content.trim() === "")
    return { ok: false, message: "the API gave no compaction back" };
  return { ok: true, block, reply: outcome.reply };
}

function onDemandRequest({ history, main, instructions = [], maxTokens }: OnDemandInput): ModelRequest {
  const { model, system, tools, effort, thinking, betas = [], body = {} } = main;
  // The API refuses its two ways of managing the context in one request.
  const { context_management: _left, ...rest } = body;
  const further = instructions.map((text) => text.trim()).filter(Boolean);
  const compaction = {
    type: "summarize",
    ...defined({ instructions: further.length > 0 ? further.join("\n\n") : undefined }),
  };
  return {
    purpose: "compact",
    model,
    messages: history.map(({ message }) => message),
    maxTokens,
    betas: [...betas.filter((beta) => beta !== ON_DEMAND_BETA), ON_DEMAND_BETA],
    body: { ...rest, compaction },
    ...defined({ system, tools, effort, thinking }),
  };
}

/** Index of the first item of every round. What comes before the first answer is the first round. */
export function roundStarts(history: History): number[] {
  const whole = insidePairs(history);
  const starts = history.length > 0 ? [0] : [];
  for (let index = 1; index < history.length; index++) {
    const opens =
      history[index]?.message.role === "assistant" && history[index - 1]?.message.role !== "assistant";
    if (opens && !whole.has(index)) starts.push(index);
  }
  return starts;
}

/** Indices at which a cut would part a call from its result. */
function insidePairs(history: History) {
  const inside = new Set<number>();
  for (const { useAt, resultAt } of toolPairs(history))
    for (let index = useAt.item + 1; index <= (resultAt?.item ?? useAt.item); index++) inside.add(index);
  return inside;
}

/** Without a number from the API a fifth of the rounds goes. */
const SHARE = 0.2;

/**
 * Where the conversation has to begin so that at least `gap` tokens are gone, or a fifth of the rounds when nothing is
 * known. The last round always stays; undefined when there is nothing that could go.
 */
export function startWithout(history: History, gap: number | undefined, weigh: (items: History) => number) {
  const starts = roundStarts(history);
  if (starts.length < 2) return undefined;
  if (gap === undefined || gap <= 0) return starts[Math.max(1, Math.floor(starts.length * SHARE))];
  const allowed = weigh(history) - gap;
  // The fewer rounds are left, the less they weigh: the first that is light enough is found by halving.
  let low = 1;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (weigh(history.slice(starts[middle])) <= allowed) high = middle;
    else low = middle + 1;
  }
  return starts[low];
}
