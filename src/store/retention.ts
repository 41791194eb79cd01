// Decides what is old enough, or too much, to be let go of. Looks at sizes by day; deletes nothing.

import { DAY } from "../lib/index.ts";
import type { RetentionRules } from "./upkeep.ts";

/** Roughly what the rows of one UTC day take. */
export interface DaySize {
  /** Days since the epoch. */
  readonly day: number;
  /** Events and messages. */
  readonly raw: number;
  /** Prompts, observations and summaries. */
  readonly rest: number;
}

export interface RetentionPlan {
  /** Raw rows before this time go; milliseconds. */
  readonly rawBefore?: number;
  /** All rows before this time go. */
  readonly allBefore?: number;
}

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
  const age = (days: number | undefined): number => (days ? now - days * DAY : Number.NEGATIVE_INFINITY);
  let allBefore = age(rules.days);
  let rawBefore = Math.max(age(rules.rawDays), allBefore);
  if (rules.maxBytes) {
    const past = sizes.filter(({ day }) => (day + 1) * DAY <= now).sort((a, b) => a.day - b.day);
    // Indexes and free space belong to the rows in proportion.
    const known = sizes.reduce((sum, { raw, rest }) => sum + raw + rest, 0);
    const scale = known === 0 ? 1 : Math.max(1, total / known);
    let excess = (total - rules.maxBytes) / scale;
    for (const { day, raw, rest } of past) {
      if ((day + 1) * DAY <= rawBefore) excess -= raw;
      if ((day + 1) * DAY <= allBefore) excess -= rest;
    }
    for (const { day, raw } of past) {
      if (excess <= 0) break;
      if ((day + 1) * DAY <= rawBefore) continue;
      rawBefore = (day + 1) * DAY;
      excess -= raw;
    }
    for (const { day, rest } of past) {
      if (excess <= 0) break;
      if ((day + 1) * DAY <= allBefore) continue;
      allBefore = (day + 1) * DAY;
      excess -= rest;
    }
  }
  return {
    ...(Number.isFinite(rawBefore) ? { rawBefore } : {}),
    ...(Number.isFinite(allBefore) ? { allBefore } : {}),
  };
}
