// Retention: decides by age and size which rows are deleted, and deletes them.
import { DAY, defined, sumOf } from "../../../lib/index.ts";
import { instant } from "../../time.ts";
import type { RetentionPreview, RetentionRules } from "../../upkeep.ts";
import type { Connection } from "../connection.ts";
import { countRemoval, remove } from "./forget.ts";
import { nothing, within } from "./scope.ts";

/** Roughly what the rows of one UTC day take. */
interface DaySize {
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
    ...(Number.isFinite(rawBefore) ? { rawBefore } : {}),
    ...(Number.isFinite(allBefore) ? { allBefore } : {}),
  };
}

/** What a row takes besides its texts: keys, times, index entries. */
const ROW_BYTES = 300;

const textColumns: Readonly<Record<string, readonly string[]>> = {
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

function sizesByDay(db: Connection): DaySize[] {
  const days = new Map<number, { raw: number; rest: number }>();
  for (const [table, columns] of Object.entries(textColumns)) {
    const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    const rows = db.all(
      `SELECT created_at_epoch / ${DAY} AS day, sum(${ROW_BYTES} + ${bytes}) AS bytes FROM ${table} GROUP BY 1`,
    );
    for (const row of rows) {
      const day = days.get(Number(row.day)) ?? { raw: 0, rest: 0 };
      day[table === "events" || table === "messages" ? "raw" : "rest"] += Number(row.bytes);
      days.set(Number(row.day), day);
    }
  }
  return [...days].map(([day, size]) => ({ day, ...size }));
}

/** What the rows take; free pages are not theirs. */
function usedBytes(db: Connection) {
  return (db.pragma("page_count") - db.pragma("freelist_count")) * db.pragma("page_size");
}

const retentionWith =
  (count: typeof remove) =>
  (db: Connection, rules: RetentionRules, now: number): RetentionPreview => {
    const sizes = sizesByDay(db);
    const used = usedBytes(db);
    const { rawBefore, allBefore } = planRetention(rules, sizes, used, now);
    const freed = sumOf(sizes, ({ day, raw, rest }) => {
      const end = endOfDay(day);
      return (end <= (rawBefore ?? 0) ? raw : 0) + (end <= (allBefore ?? 0) ? rest : 0);
    });
    const iso = (epoch: number | undefined) => (epoch === undefined ? undefined : instant(epoch).iso);
    const times = defined({ rawBefore: iso(rawBefore), allBefore: iso(allBefore) });
    const before = (to: string | undefined) => (to === undefined ? nothing : within({ to }));
    const [raw, rest] = [before(times.rawBefore), before(times.allBefore)];
    return {
      counts: count(db, {
        rows: { events: raw, messages: raw, prompts: rest, observations: rest, summaries: rest },
      }),
      bytes: Math.round((freed * used) / (sumOf(sizes, dayBytes) || 1)),
      ...times,
    };
  };

export const previewRetention = retentionWith(countRemoval);
export const applyRetention = retentionWith(remove);
