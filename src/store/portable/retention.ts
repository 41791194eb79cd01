// Retention: decides by age and size which rows are deleted.
import { DAY, defined, sumOf } from "../../lib/index.ts";
import { instant } from "../time.ts";
import type { RetentionPreview, RetentionRules } from "../upkeep.ts";

/** Roughly what the rows of one UTC day take. */
export interface DaySize {
  /** Days since the epoch. */
  readonly day: number;
  /** Events and messages. */
  readonly raw: number;
  /** Prompts, observations and summaries. */
  readonly rest: number;
}

interface RetentionPlan {
  /** Raw rows before this time go; milliseconds. */
  readonly rawBefore?: number;
  /** All rows before this time go. */
  readonly allBefore?: number;
}

const dayBytes = ({ raw, rest }: DaySize) => raw + rest;
const endOfDay = (day: number) => (day + 1) * DAY;

/**
 * Age first, then size: the oldest raw rows, and only when none are left the oldest of the rest.
 * `total` is what the database takes now. The current day is never touched by the size rule.
 */
export function planRetention(
  rules: RetentionRules,
  sizes: readonly DaySize[],
  total: number,
  now: number,
): RetentionPlan {
  const age = (days: number | undefined) => (days ? now - days * DAY : Number.NEGATIVE_INFINITY);
  let allBefore = age(rules.days);
  let rawBefore = Math.max(age(rules.rawDays), allBefore);
  if (rules.maxBytes) {
    const past = sizes.filter(({ day }) => endOfDay(day) <= now).sort((a, b) => a.day - b.day);
    // Indexes and free space belong to the rows in proportion.
    const scale = Math.max(1, total / (sumOf(sizes, dayBytes) || total));
    let excess = (total - rules.maxBytes) / scale;
    for (const { day, raw, rest } of past) {
      if (endOfDay(day) <= rawBefore) excess -= raw;
      if (endOfDay(day) <= allBefore) excess -= rest;
    }
    /** Moves a bound forward, day by day, until enough is deleted. */
    const advance = (before: number, part: "raw" | "rest") => {
      for (const { day, [part]: bytes } of past) {
        if (excess <= 0) break;
        if (endOfDay(day) <= before) continue;
        before = endOfDay(day);
        excess -= bytes;
      }
      return before;
    };
    rawBefore = advance(rawBefore, "raw");
    allBefore = advance(allBefore, "rest");
  }
  return {
    ...(Number.isFinite(rawBefore) && { rawBefore }),
    ...(Number.isFinite(allBefore) && { allBefore }),
  };
}

/** What a row takes besides its texts: keys, times, index entries. */
export const ROW_BYTES = 300;

export const textColumns: Readonly<Record<string, readonly string[]>> = {
  events: ["payload"],
  messages: ["text"],
  user_prompts: ["prompt_text"],
  observations: [
    "title",
    "subtitle",
    "narrative",
    "text",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
  ],
  session_summaries: ["request", "investigated", "learned", "completed", "next_steps", "notes"],
};

/** What a plan frees of the rows, in proportion to the bytes in use, and its times as people read them. */
export function retentionOutcome(
  { rawBefore, allBefore }: RetentionPlan,
  sizes: readonly DaySize[],
  used: number,
): Omit<RetentionPreview, "counts"> {
  const freed = sumOf(sizes, ({ day, raw, rest }) => {
    const end = endOfDay(day);
    return (end <= (rawBefore ?? 0) ? raw : 0) + (end <= (allBefore ?? 0) ? rest : 0);
  });
  const iso = (epoch: number | undefined) => (epoch === undefined ? undefined : instant(epoch).iso);
  return {
    bytes: Math.round((freed * used) / (sumOf(sizes, dayBytes) || 1)),
    ...defined({ rawBefore: iso(rawBefore), allBefore: iso(allBefore) }),
  };
}
