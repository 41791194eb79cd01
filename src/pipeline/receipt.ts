// The receipt of one request: edits made and withheld, sizes in tokens, expected cost.

import type { Gap } from "../compact/index.ts";
import type { CacheOutlook } from "../economics/index.ts";
import { type LedgerEntry, type Level, levels, type Skip } from "../ledger/index.ts";
import { commonBeginning } from "../legality/index.ts";
import { defined, type JsonObject, sumOf } from "../lib/index.ts";
import type { History, Repair } from "../messages/index.ts";
import { cost, type ModelInfo, type ThinkingRegime } from "../tokens/index.ts";
import type { RefusedWords, WordsFrom } from "./autocompact/candidates.ts";
import type { LevelPlan } from "./levels.ts";
import { lastAssistantIn } from "./planContext.ts";
import type { RequestPlan } from "./prepare.ts";
import type { PolicyName } from "./settings.ts";
import type { WaitingMark } from "./snip/snip.ts";

/** What one level did to a request. */
export interface LevelReceipt {
  readonly level: Level;
  /** Edits made with this request. */
  readonly made: number;
  /** Tokens of what those edits concern. */
  readonly before: number;
  readonly after: number;
  /** Why the level withholds something, if it does. */
  readonly waiting?: string;
}

/** How the compaction of a request was worded. */
export interface CompactionReceipt {
  /** Where the words came from. */
  readonly from: WordsFrom;
  /** Messages that stay word for word. */
  readonly kept: number;
  /** What the words lacked and was added to them. */
  readonly patched: readonly Gap[];
  /** Words that were there, or asked for, and not used. */
  readonly refused: readonly RefusedWords[];
}

/** What was decided about one request, and why. */
export interface Receipt {
  readonly session: string;
  readonly policy: PolicyName;
  readonly model: string;
  readonly regime: ThinkingRegime;
  readonly dryRun: boolean;
  readonly tokens: {
    /** The request as the client made it. */
    readonly before: number;
    /** The request as it will be sent. */
    readonly after: number;
    /** A size it will hardly exceed. */
    readonly upperBound: number;
  };
  readonly levels: readonly LevelReceipt[];
  /** The compaction that was made with this request. */
  readonly compaction?: CompactionReceipt;
  /** What was recorded with this request. */
  readonly edits: readonly LedgerEntry[];
  /** What the API says it did with the request before this one: the `applied_edits` of its response. */
  readonly appliedEdits?: readonly JsonObject[];
  /** Marks that wait for a point at which they are legal. */
  readonly waiting: readonly WaitingMark[];
  readonly skipped: readonly Skip[];
  readonly cache: CacheOutlook;
  /** Dollars for the prompt as it is sent, and as it would be without Throughline. */
  readonly cost: { readonly with: number; readonly without: number };
  readonly repairs: readonly Repair[];
}

export function makeReceipt(plan: RequestPlan): Receipt {
  const { input, context, levels: planned, fitted, incoming } = plan;
  const { trial, compaction } = fitted;
  const { model, outlook } = context;
  const { appliedEdits } = input.session.runtime;
  const made = trial.drafts.map(({ entry }) => entry);
  const refusedMarks = trial.refused.flatMap(({ draft, skip }) =>
    draft.entry.settles === undefined ? [] : [{ mark: draft.entry.settles, why: skip.detail }],
  );
  return {
    session: input.session.id,
    policy: context.settings.policy,
    model: model.id,
    regime: model.thinking,
    dryRun: input.dryRun === true,
    ...sizesAndCost(plan),
    levels: levelReceipts(made, planned.withheld),
    ...defined({ compaction: compaction && compactionReceipt(compaction) }),
    edits: made,
    ...(appliedEdits.length > 0 && { appliedEdits }),
    waiting: [...planned.waiting, ...refusedMarks],
    skipped: trial.after.skipped,
    cache: outlook,
    repairs: incoming.repairs,
  };
}

function compactionReceipt({ from, kept, patched, refused }: CompactionReceipt): CompactionReceipt {
  return { from, kept, patched, refused };
}

/** Both sizes use one basis: the exact total where one is known, plus the difference that the edits make. */
function sizesAndCost({ input, context, fitted }: RequestPlan): Pick<Receipt, "tokens" | "cost"> {
  const { applied: before, model, outlook, history, weigh } = context;
  const { runtime } = input.session;
  const { after } = fitted.trial;
  const { fixed, tokens: total, upperBound } = context.sizeOf(after);
  const rawTokens = (count?: number) => fixed + runtime.rawSum.upTo(history, weigh, count);
  const sentTokens = (count?: number) => fixed + runtime.viewSum.upTo(after.items, weigh, count);
  const correction = total - sentTokens();
  const raw = Math.max(0, rawTokens() + correction);
  const unchanged = before === after ? after.items.length : commonBeginning(before.items, after.items);
  const cached = sentTokens(Math.min(unchanged, sentBefore(after.items))) + correction;
  const cachedRaw = rawTokens(sentBefore(history)) + correction;
  return {
    tokens: { before: Math.round(raw), after: Math.round(total), upperBound },
    cost: {
      with: promptCost(cached, total, model, outlook),
      without: promptCost(cachedRaw, raw, model, outlook),
    },
  };
}

/** How many messages the last request had: all before the last response. */
function sentBefore(items: History) {
  let start = lastAssistantIn(items);
  while (items[start - 1]?.message.role === "assistant") start--;
  return Math.max(0, start);
}

/** Dollars for a prompt of which the cache, while it is warm, holds the first tokens. */
function promptCost(cached: number, total: number, model: ModelInfo, { predicted, ttl }: CacheOutlook) {
  const read = predicted === "warm" ? Math.min(Math.max(0, cached), total) : 0;
  const written = total - read;
  return cost(
    {
      input: 0,
      cacheRead: read,
      cacheWrite5m: ttl === "5m" ? written : 0,
      cacheWrite1h: ttl === "1h" ? written : 0,
      output: 0,
    },
    model,
  );
}

function levelReceipts(made: readonly LedgerEntry[], withheld: LevelPlan["withheld"]) {
  return levels.flatMap((level): LevelReceipt[] => {
    const own = made.filter((entry) => entry.level === level && entry.edit.kind !== "collapse-snapshot");
    const waiting = withheld[level];
    if (own.length === 0 && waiting === undefined) return [];
    const sum = (pick: (tokens: { before: number; after: number }) => number) =>
      sumOf(own, ({ tokens }) => (tokens ? pick(tokens) : 0));
    return [
      {
        level,
        made: own.length,
        before: sum(({ before }) => before),
        after: sum(({ after }) => after),
        ...defined({ waiting }),
      },
    ];
  });
}
