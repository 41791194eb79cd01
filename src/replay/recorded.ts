// A recorded session as replay needs it: the whole history, its requests with their times, and what each message weighs.

import { sumOf } from "../lib/index.ts";
import { type History, type HistoryItem, promptTokens } from "../messages/index.ts";
import {
  cost,
  estimateMessage,
  estimateText,
  findModel,
  lookupModel,
  type ModelInfo,
  type ModelOverrides,
} from "../tokens/index.ts";
import { type Conversation, sendableItems, type TranscriptItem } from "../transcript/index.ts";

/** One request of the recorded agent. */
export interface RecordedRequest {
  /** Messages of `history` that it was made of: those before this index. */
  readonly end: number;
  /** When it was sent, in milliseconds. */
  readonly at: number;
  /** The prompt's exact size, as the API reported it. */
  readonly tokens: number;
}

export interface RecordedSession {
  readonly name: string;
  readonly model: ModelInfo;
  /** The main thread without the summaries that the recorded agent's own compactions put in. */
  readonly history: History;
  readonly requests: readonly RecordedRequest[];
  /** Summaries of the recorded compactions, in order. */
  readonly summaries: readonly string[];
  /** Tokens that each recorded compaction put beside its summary: files read again, mostly. */
  readonly attached: readonly number[];
  /** Tokens of system prompt and tools. */
  readonly fixed: number;
  /** What the requests of the session's subagents cost, as far as their rows were recorded. */
  readonly subagentDollars: number;
  /** The context window the session ran in. */
  readonly window: number;
  /** Tokens of an item: exact where a response reported it, otherwise estimated. */
  weigh(item: HistoryItem): number;
}

export interface RecordingOptions {
  /** Replay as if it had run on this model; its prices and regime count then. */
  readonly model?: string;
  readonly overrides?: ModelOverrides;
  readonly window?: number;
}

/** Sessions of before the large windows were compacted at this size whatever their model offers today. */
const CLASSIC_WINDOW = 200_000;
/** A share outside this range is not the tokenizer's but a hidden message's or a cut response's. */
const BELIEVABLE: readonly [number, number] = [0.5, 2];

/** False for what a compaction put there: copies of earlier messages, and summaries. */
const isSaid = ({ compactSummary, isCopy }: TranscriptItem) => !compactSummary && !isCopy;

export function recordSession(
  name: string,
  conversation: Conversation,
  options: RecordingOptions = {},
): RecordedSession {
  const { items } = conversation;
  const said = items.filter(isSaid);
  const history = sendableItems(said);
  const summaries = items
    .filter(({ compactSummary }) => compactSummary)
    .map(({ message }) => String(message.content));
  const indexInHistory = countBefore(items, history.length - said.length);
  const requests: RecordedRequest[] = [];
  const cuts = conversation.boundaries.filter(({ kind }) => kind === "compact").map(({ index }) => index);
  const spans: MeasuredSpan[] = [];
  const firstAfterCut: number[] = [];
  let previous: { index: number; tokens: number } | undefined;
  for (const request of conversation.requests) {
    const { usage } = request;
    const end = indexInHistory[request.itemIndex] ?? 0;
    const tokens = promptTokens(usage);
    const at = items[request.itemIndex - 1]?.at ?? request.at ?? 0;
    if (end === 0 || tokens === 0) continue;
    const from = previous;
    const compacted = from && cuts.some((cut) => cut > from.index && cut <= request.itemIndex);
    if (from && !compacted)
      spans.push({ from: indexInHistory[from.index] ?? 0, to: end, tokens: tokens - from.tokens });
    if (compacted) firstAfterCut.push(tokens);
    previous = { index: request.itemIndex, tokens };
    requests.push({ end, at, tokens });
  }
  const model = recordedModel(conversation, options);
  const largest = Math.max(0, ...requests.map(({ tokens }) => tokens));
  const scale = makeScale(history, spans, model);
  const first = requests[0];
  const opening = sumOf(history.slice(0, first?.end ?? 0), scale);
  const fixed = Math.max(0, (first?.tokens ?? 0) - opening);
  return {
    name,
    model,
    history,
    requests: withMonotonicTimes(requests),
    summaries,
    attached: firstAfterCut.map((tokens, at) =>
      Math.max(0, tokens - fixed - estimateText(summaries[at] ?? "", model.tokenizer)),
    ),
    fixed,
    subagentDollars: dollarsOfSubagents(conversation, model, options.overrides),
    window:
      options.window ?? (largest <= CLASSIC_WINDOW ? Math.min(CLASSIC_WINDOW, model.window) : model.window),
    weigh: scale,
  };
}

/** Each answer has one usage, however many rows it was written in. */
function dollarsOfSubagents({ sidechains }: Conversation, main: ModelInfo, overrides?: ModelOverrides) {
  const answers = new Map<string, TranscriptItem>();
  for (const { items } of sidechains)
    for (const item of items) if (item.usage) answers.set(item.messageId ?? item.id, item);
  return sumOf([...answers.values()], ({ usage, model }) =>
    usage ? cost(usage, (model === undefined ? undefined : findModel(model, overrides)) ?? main) : 0,
  );
}

/** What a run of messages added to the prompt, by the totals before and after it. */
interface MeasuredSpan {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

function recordedModel(conversation: Conversation, options: RecordingOptions) {
  if (options.model !== undefined) return lookupModel(options.model, options.overrides);
  for (const name of conversation.models) {
    const model = findModel(name, options.overrides);
    if (model) return model;
  }
  return lookupModel(conversation.models[0] ?? "unknown", options.overrides);
}

/** For every index of `items`, how many messages before it are in the history, `first` of them before all items. */
function countBefore(items: readonly TranscriptItem[], first: number) {
  const counts: number[] = [];
  let count = first;
  for (const item of items) {
    counts.push(count);
    if (isSaid(item)) count++;
  }
  counts.push(count);
  return counts;
}

/** Recorded clocks may step back; a request is never earlier than the one before it. */
function withMonotonicTimes(requests: readonly RecordedRequest[]): RecordedRequest[] {
  let latest = 0;
  return requests.map((request) => {
    latest = Math.max(latest, request.at);
    return { ...request, at: latest };
  });
}

/** Estimates scaled so that each run of messages weighs what the API said it does. */
function makeScale(
  history: History,
  spans: readonly MeasuredSpan[],
  model: ModelInfo,
): (item: HistoryItem) => number {
  const estimate = ({ message }: HistoryItem) => Math.max(1, estimateMessage(message, model.tokenizer));
  const measured = spans.map((span) => {
    const items = history.slice(span.from, span.to);
    return {
      items,
      share: span.tokens / Math.max(1, sumOf(items, estimate)),
    };
  });
  const shares = measured.map(({ share }) => share).sort((a, b) => a - b);
  const typical = Math.min(
    BELIEVABLE[1],
    Math.max(BELIEVABLE[0], shares[Math.floor(shares.length / 2)] ?? 1),
  );
  const byId = new Map<string, number>();
  for (const { items, share } of measured) {
    const believable = share >= BELIEVABLE[0] * typical && share <= BELIEVABLE[1] * typical;
    for (const { id } of items) byId.set(id, believable ? share : typical);
  }
  return (item) => estimate(item) * (byId.get(item.id) ?? typical);
}
