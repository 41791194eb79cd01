// What was spent on models, one file a UTC day, shared by all processes; the daily budget is held against it.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import {
  appendLines,
  type Clock,
  DAY,
  isObject,
  type JsonObject,
  parseJson,
  readIfThere,
  timeOrderedId,
} from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";

interface Spent {
  readonly purpose: string;
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** Absent where no price is known. */
  readonly dollars?: number;
}

interface DaySpending {
  readonly day: string;
  readonly calls: number;
  readonly tokens: number;
  readonly dollars: number;
  /** Promised to calls that are still under way. */
  readonly reserved: number;
  readonly byPurpose: Readonly<Record<string, { calls: number; tokens: number; dollars: number }>>;
}

export interface Reservation {
  /** Says what the call really took. Without it the reservation lapses by itself. */
  record(spent: Spent): void;
}

export interface Spending {
  /** Undefined when the tokens are not there. A limit of 0 is none. */
  reserve(tokens: number, limit: number, milliseconds: number): Reservation | undefined;
  on(day?: string): DaySpending;
}

const DAYS_KEPT = 92;

const utcDay = (now: number) => new Date(now).toISOString().slice(0, 10);

/**
 * Every process appends whole lines to the day's file. Their order in the file decides who came first: a reservation
 * counts against the budget together with everything before it, so that two processes cannot both take the last tokens.
 */
export function openSpending(folder: string, clock: Clock): Spending {
  const fileOf = (day: string) => path.join(folder, `${day}.jsonl`);
  return {
    reserve(tokens, limit, milliseconds) {
      const now = clock.now();
      const file = fileOf(utcDay(now));
      const isNew = readLines(file).length === 0;
      const id = timeOrderedId("sp", now);
      appendLines(file, [JSON.stringify({ id, reserved: tokens, until: now + milliseconds })], {
        sync: false,
      });
      if (isNew) forgetOldDays(folder, now);
      if (limit > 0 && takenUpTo(readLines(file), id, now) > limit) {
        appendLines(file, [JSON.stringify({ id, released: true })], { sync: false });
        return undefined;
      }
      return {
        record(spent) {
          appendLines(file, [JSON.stringify({ id, at: clock.now(), ...spent })], { sync: false });
        },
      };
    },
    on(day = utcDay(clock.now())) {
      return sumOf(day, readLines(fileOf(day)), clock.now());
    },
  };
}

/** A reservation, its release, or what a call took; fields are looked at where they are used. */
interface SpendingLine extends JsonObject {
  readonly id: string;
}

const numberOr = (value: unknown, other: number) => (typeof value === "number" ? value : other);

function readLines(file: string): SpendingLine[] {
  return (readIfThere(file) ?? "").split("\n").flatMap((line) => {
    const value = line === "" ? undefined : parseJson(line);
    return isObject(value) && typeof value.id === "string" ? [{ ...value, id: value.id }] : [];
  });
}

const isReservation = (line: SpendingLine) => typeof line.reserved === "number";

/** Tokens that count when the reservation `id` is judged: settled calls, and reservations that came before it. */
function takenUpTo(lines: readonly SpendingLine[], id: string, now: number) {
  const closed = new Set(lines.filter((line) => !isReservation(line)).map((line) => line.id));
  let taken = 0;
  let passed = false;
  for (const line of lines) {
    if (!isReservation(line)) taken += numberOr(line.tokens, 0);
    else if (!passed && !closed.has(line.id) && numberOr(line.until, 0) >= now)
      taken += numberOr(line.reserved, 0);
    if (line.id === id) passed = true;
  }
  return taken;
}

function sumOf(day: string, lines: readonly SpendingLine[], now: number): DaySpending {
  const open = new Map<string, number>();
  const byPurpose: Record<string, { calls: number; tokens: number; dollars: number }> = {};
  for (const line of lines) {
    if (isReservation(line)) {
      if (numberOr(line.until, 0) >= now) open.set(line.id, numberOr(line.reserved, 0));
      continue;
    }
    open.delete(line.id);
    if (line.released === true) continue;
    const purpose = String(line.purpose ?? "");
    const sum = byPurpose[purpose] ?? { calls: 0, tokens: 0, dollars: 0 };
    byPurpose[purpose] = {
      calls: sum.calls + 1,
      tokens: sum.tokens + numberOr(line.tokens, 0),
      dollars: sum.dollars + numberOr(line.dollars, 0),
    };
  }
  const sums = Object.values(byPurpose);
  const total = (pick: (sum: (typeof sums)[number]) => number) =>
    sums.reduce((all, sum) => all + pick(sum), 0);
  return {
    day,
    calls: total(({ calls }) => calls),
    tokens: total(({ tokens }) => tokens),
    dollars: total(({ dollars }) => dollars),
    reserved: [...open.values()].reduce((all, tokens) => all + tokens, 0),
    byPurpose,
  };
}

function forgetOldDays(folder: string, now: number) {
  const oldest = utcDay(now - DAYS_KEPT * DAY);
  for (const name of readdirSync(folder)) {
    const day = /^(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name)?.[1];
    if (day !== undefined && day < oldest) rmSync(path.join(folder, name), { force: true });
  }
}

/** All tokens of a call: what was read, from the cache or not, and what was written. */
export function allTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}
