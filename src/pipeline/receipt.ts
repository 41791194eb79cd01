// The account of one request: what was done to it, what waits, and what it is expected to cost.
import type { LedgerEntry, Level, Skip } from "../ledger/index.ts";
import { cost, type ModelInfo, type ThinkingRegime } from "../tokens/index.ts";
import type { CacheOutlook } from "./policy/outlook.ts";
import type { Repair } from "./repair.ts";
import type { PolicyName } from "./settings.ts";

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
