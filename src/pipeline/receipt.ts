// The account of one request: what was done to it, what waits, and what it is expected to cost.
import type { Applied, LedgerEntry, Level, Skip } from "../ledger/index.ts";
import { cost, estimateTokens, type ModelInfo, type ThinkingRegime } from "../tokens/index.ts";
import type { Plan } from "./levels.ts";
import type { PlanContext } from "./plan.ts";
import type { CacheOutlook } from "./policy/outlook.ts";
import type { PrepareInput } from "./prepare.ts";
import type { Repair } from "./repair.ts";
import type { Runtime } from "./runtime.ts";
import type { PolicyName } from "./settings.ts";
import { commonBeginning } from "./validity.ts";

export interface LevelReceipt {
  readonly level: Level;
  /** Edits made with this request. */
  readonly made: number;
  /** Tokens of what those edits concern. */
  readonly before: number;
  readonly after: number;
  /** Why the level holds something back, if it does. */
  readonly waiting?: string;
}

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
  /** What was recorded with this request. */
  readonly edits: readonly LedgerEntry[];
  /** Marks that wait for a point at which they are legal. */
  readonly waiting: readonly { readonly mark: string; readonly why: string }[];
  readonly skipped: readonly Skip[];
  readonly cache: CacheOutlook;
  /** Dollars for the prompt as it is sent, and as it would be without Throughline. */
  readonly cost: { readonly with: number; readonly without: number };
  readonly repairs: readonly Repair[];
}

export interface PromptParts {
  /** Tokens that the cache is expected to hold. */
  readonly cached: number;
  readonly total: number;
}

export function promptCost(
  { cached, total }: PromptParts,
  model: ModelInfo,
  { predicted, ttl }: CacheOutlook,
): number {
  const read = predicted === "warm" ? Math.min(cached, total) : 0;
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

const order: readonly Level[] = ["budget", "snip", "microcompact", "collapse", "autocompact", "user"];

export function levelReceipts(
  made: readonly LedgerEntry[],
  held: Readonly<Partial<Record<Level, string>>>,
): LevelReceipt[] {
  return order.flatMap((level): LevelReceipt[] => {
    const own = made.filter((entry) => entry.level === level);
    const waiting = held[level];
    if (own.length === 0 && waiting === undefined) return [];
    const sum = (pick: (tokens: { before: number; after: number }) => number): number =>
      own.reduce((total, { tokens }) => total + (tokens ? pick(tokens) : 0), 0);
    return [
      {
        level,
        made: own.length,
        before: sum(({ before }) => before),
        after: sum(({ after }) => after),
        ...(waiting === undefined ? {} : { waiting }),
      },
    ];
  });
}

export interface ReceiptParts {
  readonly input: PrepareInput;
  readonly runtime: Runtime;
  readonly model: ModelInfo;
  readonly context: PlanContext;
  readonly plan: Plan;
  readonly added: readonly LedgerEntry[];
  readonly before: Applied;
  readonly after: Applied;
  readonly repairs: readonly Repair[];
}

export function makeReceipt({
  input,
  runtime,
  model,
  context,
  plan,
  added,
  before,
  after,
  repairs,
}: ReceiptParts): Receipt {
  const fixed = fixedTokens(input, model);
  const weigh = context.weigh;
  const raw = fixed + runtime.rawSum.upTo(context.history, weigh);
  const counter = runtime.counter(model, fixed);
  const prediction = counter.predict(after.messages);
  const sum = fixed + runtime.viewSum.upTo(after.items, weigh);
  const tokens = {
    before: Math.round(raw),
    after: prediction.basis === "none" ? Math.round(sum) : prediction.tokens,
    upperBound: prediction.upperBound,
  };
  const unchanged = before === after ? after.items.length : commonBeginning(before.items, after.items);
  const fresh = context.view.slice(
    context.view.findLastIndex(({ message }) => message.role === "assistant") + 1,
  );
  const freshTokens = fresh.reduce((total, item) => total + weigh(item), 0);
  const changedTail = after.items.slice(unchanged).reduce((total, item) => total + weigh(item), 0);
  return {
    session: input.session.id,
    policy: context.settings.policy,
    model: model.id,
    regime: model.thinking,
    dryRun: input.dryRun === true,
    tokens,
    levels: levelReceipts(added, plan.held),
    edits: added,
    waiting: plan.waiting,
    skipped: after.skipped,
    cache: context.outlook,
    cost: {
      with: promptCost(
        { cached: tokens.after - Math.max(changedTail, freshTokens), total: tokens.after },
        model,
        context.outlook,
      ),
      without: promptCost(
        { cached: tokens.before - freshTokens, total: tokens.before },
        model,
        context.outlook,
      ),
    },
    repairs,
  };
}

const fixedCounts = new WeakMap<readonly unknown[], number>();

/** Tokens of system prompt and tools; counted once per array. */
function fixedTokens({ system, tools }: PrepareInput, model: ModelInfo): number {
  const key = tools ?? (Array.isArray(system) ? system : undefined);
  const known = key && fixedCounts.get(key);
  if (known !== undefined) return known;
  const count = estimateTokens([], {
    model,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  });
  if (key) fixedCounts.set(key, count);
  return count;
}
