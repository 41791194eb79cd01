// Retention in PostgreSQL: the sizes that its plan is made from, and the rows that it deletes.
import { DAY, sumOf } from "../../../lib/index.ts";
import {
  type DaySize,
  planRetention,
  ROW_BYTES,
  retentionOutcome,
  textColumns,
} from "../../portable/retention.ts";
import type { RetentionPreview, RetentionRules } from "../../upkeep.ts";
import type { Transaction, Writer } from "../connection.ts";
import { nothing, within } from "../scope.ts";
import { countRemoval, remove } from "./forget.ts";

async function sizesByDay(on: Transaction): Promise<DaySize[]> {
  const days = new Map<number, { raw: number; rest: number }>();
  for (const [table, columns] of Object.entries(textColumns)) {
    const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    const rows = await on.all(
      `SELECT created_at_epoch / ${DAY} AS day, sum(${ROW_BYTES} + ${bytes}) AS bytes FROM ${table}
         WHERE team_id = ? AND person_id = ? GROUP BY 1`,
      on.space.team,
      on.space.person,
    );
    for (const row of rows) {
      const day = days.get(Number(row.day)) ?? { raw: 0, rest: 0 };
      day[table === "events" || table === "messages" ? "raw" : "rest"] += Number(row.bytes);
      days.set(Number(row.day), day);
    }
  }
  return [...days].map(([day, size]) => ({ day, ...size }));
}

/** A person's share of the tables is what its rows hold. */
async function retentionWith<T extends Transaction>(
  on: T,
  rules: RetentionRules,
  now: number,
  count: (on: T, removal: Parameters<typeof countRemoval>[1]) => ReturnType<typeof countRemoval>,
): Promise<RetentionPreview> {
  const sizes = await sizesByDay(on);
  const used = sumOf(sizes, ({ raw, rest }) => raw + rest);
  const outcome = retentionOutcome(planRetention(rules, sizes, used, now), sizes, used);
  const before = (to: string | undefined) => (to === undefined ? nothing : within({ to }));
  const [raw, rest] = [before(outcome.rawBefore), before(outcome.allBefore)];
  const rows = { events: raw, messages: raw, prompts: rest, observations: rest, summaries: rest };
  return { counts: await count(on, { rows }), ...outcome };
}

export const previewRetention = (on: Transaction, rules: RetentionRules, now: number) =>
  retentionWith(on, rules, now, countRemoval);

export const applyRetention = (on: Writer, rules: RetentionRules, now: number) =>
  retentionWith(on, rules, now, remove);
