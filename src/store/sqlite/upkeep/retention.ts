// Retention in SQLite: the sizes that its plan is made from, and the rows that it deletes.
import { DAY } from "../../../lib/index.ts";
import {
  type DaySize,
  planRetention,
  ROW_BYTES,
  retentionOutcome,
  textColumns,
} from "../../portable/retention.ts";
import type { RetentionPreview, RetentionRules } from "../../upkeep.ts";
import type { Connection } from "../connection.ts";
import { countRemoval, remove } from "./forget.ts";
import { nothing, within } from "./scope.ts";

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
    const outcome = retentionOutcome(planRetention(rules, sizes, used, now), sizes, used);
    const before = (to: string | undefined) => (to === undefined ? nothing : within({ to }));
    const [raw, rest] = [before(outcome.rawBefore), before(outcome.allBefore)];
    const rows = { events: raw, messages: raw, prompts: rest, observations: rest, summaries: rest };
    return { counts: count(db, { rows }), ...outcome };
  };

export const previewRetention = retentionWith(countRemoval);
export const applyRetention = retentionWith(remove);
