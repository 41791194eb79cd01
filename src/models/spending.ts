// Spending on models, one file per UTC day, shared by all processes; enforces the daily token budget.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { appendLines, type Clock, DAY, parseJson, readIfThere, sumOf, timeOrderedId } from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";

interface Spent {
  readonly purpose: string;
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** Absent if no price is known. */
  readonly dollars?: number;
}

export interface Reservation {
  /** Records what the call took. Without it the reservation expires by itself. */
  record(spent: Spent): void;
}

export interface Spending {
  /** Undefined when the budget is used up. A limit of 0 is none. */
  reserve(tokens: number, limit: number, milliseconds: number): Reservation | undefined;
  on(day?: string): ReturnType<typeof summarizeDay>;
}

const DAYS_KEPT = 92;

const utcDay = (now: number) => new Date(now).toISOString().slice(0, 10);

/**
 * Every process appends whole lines to the day's file. Their order in the file is the order of the reservations: each
 * counts against the budget together with everything before it, so that two processes cannot both get the last tokens.
 */
export function openSpending(folder: string, clock: Clock): Spending {
  const fileOf = (day: string) => path.join(folder, `${day}.jsonl`);
  return {
    reserve(tokens, limit, milliseconds) {
      const now = clock.now();
      const file = fileOf(utcDay(now));
      const isNew = readLines(file).length === 0;
      const id = timeOrderedId("sp", now);
      const append = (fields: object) =>
        appendLines(file, [JSON.stringify({ id, ...fields })], { sync: false });
      append({ reserved: tokens, until: now + milliseconds });
      if (isNew) removeOldDays(folder, now);
      if (limit > 0 && takenUpTo(readLines(file), id, now) > limit) {
        append({ released: true });
        return undefined;
      }
      return { record: (spent) => append({ at: clock.now(), ...spent }) };
    },
    on: (day = utcDay(clock.now())) => summarizeDay(day, readLines(fileOf(day)), clock.now()),
  };
}

const amount = z.number().catch(0);

/** A reservation, its release, or what a call took. */
const spendingLine = z.object({
  id: z.string(),
  reserved: z.number().optional().catch(undefined),
  until: amount,
  released: z.literal(true).optional().catch(undefined),
  purpose: z.string().catch(""),
  tokens: amount,
  dollars: amount,
});

const readLines = (file: string) =>
  (readIfThere(file) ?? "").split("\n").flatMap((line) => spendingLine.safeParse(parseJson(line)).data ?? []);

type SpendingLines = ReturnType<typeof readLines>;

/** Tokens that count against the reservation `id`: those of finished calls, and open reservations before it. */
function takenUpTo(lines: SpendingLines, id: string, now: number) {
  const closed = new Set(lines.filter(({ reserved }) => reserved === undefined).map((line) => line.id));
  let taken = 0;
  let passed = false;
  for (const { id: ofLine, reserved, until, tokens } of lines) {
    if (reserved === undefined) taken += tokens;
    else if (!passed && !closed.has(ofLine) && until >= now) taken += reserved;
    if (ofLine === id) passed = true;
  }
  return taken;
}

/** Sums of a day; `reserved` is for calls that are still running. */
function summarizeDay(day: string, lines: SpendingLines, now: number) {
  const nothing = { calls: 0, tokens: 0, dollars: 0 };
  const total = { ...nothing };
  const open = new Map<string, number>();
  const byPurpose: Record<string, typeof total> = {};
  for (const { id, reserved, until, released, purpose, tokens, dollars } of lines) {
    if (reserved !== undefined) {
      if (until >= now) open.set(id, reserved);
      continue;
    }
    open.delete(id);
    if (released) continue;
    byPurpose[purpose] ??= { ...nothing };
    for (const sum of [total, byPurpose[purpose]]) {
      sum.calls += 1;
      sum.tokens += tokens;
      sum.dollars += dollars;
    }
  }
  return { day, ...total, reserved: sumOf([...open.values()], (tokens) => tokens), byPurpose };
}

function removeOldDays(folder: string, now: number) {
  const oldest = utcDay(now - DAYS_KEPT * DAY);
  for (const name of readdirSync(folder)) {
    const day = /^(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name)?.[1];
    if (day !== undefined && day < oldest) rmSync(path.join(folder, name), { force: true });
  }
}

/** All tokens of a call: input, cached or not, and output. */
export function allTokens(usage: Usage) {
  return promptTokens(usage) + usage.output;
}
