// The daily log of long-running agents: entries are appended to the file of the day and never changed.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import {
  appendLines,
  type Clock,
  DAY,
  defined,
  isObject,
  parseJson,
  readIfThere,
  systemClock,
  writeFileAtomic,
} from "../../lib/index.ts";
import { quarantine } from "../admit/quarantine.ts";
import { findSuspicions, redactDraft, type Suspicion } from "../admit/screen.ts";
import {
  type Author,
  authors,
  isMemoryType,
  type MemoryPlace,
  type MemoryType,
  memoryLimits,
} from "./model.ts";
import { placeInside, readInside } from "./safePaths.ts";

/** One entry of a daily log. */
export interface LogEntry {
  /** `2026-03-02` and `09:05`, where the person is. */
  readonly day: string;
  readonly time: string;
  readonly author: Author;
  readonly type: MemoryType | undefined;
  readonly text: string;
  /** `logs/2026/03/2026-03-02.md:4`. */
  readonly source: string;
}

/** An entry to be appended to the log. */
export interface LogRequest {
  readonly text: string;
  readonly author: Author;
  readonly type?: MemoryType;
}

/** Options of the daily log. */
interface DailyLogOptions {
  readonly clock?: Clock;
  readonly timeZone?: string | undefined;
}

/** What came of appending to the log. */
export type LogOutcome =
  | { readonly outcome: "logged"; readonly file: string; readonly hidden: readonly string[] }
  | { readonly outcome: "quarantined"; readonly id: string; readonly suspicions: readonly Suspicion[] }
  | { readonly outcome: "refused"; readonly message: string; readonly fix: string };

function momentOf(now: number, timeZone: string | undefined) {
  const part = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, defined({ ...options, timeZone })).format(now);
  return {
    day: part("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" }),
    time: part("en-GB", { hour: "2-digit", minute: "2-digit", hour12: false }),
  };
}

/** `logs/YYYY/MM/YYYY-MM-DD.md`. */
const logFileFor = (day: string) => `logs/${day.slice(0, 4)}/${day.slice(5, 7)}/${day}.md`;

/** Redacts and screens an entry, then appends it or quarantines it. */
export function appendLog(
  place: MemoryPlace,
  request: LogRequest,
  { clock = systemClock, timeZone }: DailyLogOptions = {},
): LogOutcome {
  if (request.text.trim() === "" || request.text.includes("\0") || Buffer.byteLength(request.text) > 10_000)
    return {
      outcome: "refused",
      message: "an entry is one short text",
      fix: "say in a sentence what happened",
    };
  const type = request.type ?? "project";
  const draft = { name: "log entry", description: "an entry of the daily log", body: request.text };
  const { draft: clean, hidden } = redactDraft(draft);
  const found = findSuspicions(clean, { author: request.author, type });
  if (found.length > 0) {
    const destination = { kind: "log" as const, ...defined({ type: request.type }) };
    const waiting = { ...clean, type, author: request.author };
    const { id } = quarantine(place, waiting, found, { clock, destination });
    return { outcome: "quarantined", id, suspicions: found };
  }
  return {
    outcome: "logged",
    file: writeLogEntry(place, { ...request, text: clean.body }, { clock, timeZone }),
    hidden,
  };
}

/** Appends an entry that has been screened; returns the file of the day. */
export function writeLogEntry(
  place: MemoryPlace,
  request: LogRequest,
  { clock = systemClock, timeZone }: DailyLogOptions,
) {
  const { day, time } = momentOf(clock.now(), timeZone);
  const file = logFileFor(day);
  const target = placeInside(place.folder, file);
  const mark = request.type === undefined ? "" : ` [${request.type}]`;
  const text = request.text.trim().replace(/\n/g, "\n  ");
  const head = existsSync(target) ? [] : [`# ${day}`];
  appendLines(target, [...head, `- ${time} (${request.author})${mark} ${text}`]);
  return file;
}

const LOG_ENTRY = /^- (\d\d:\d\d) \((\w+)\)(?: \[(\w+)\])? (.*)$/;

function parseLogEntries(text: string, day: string, file: string) {
  const entries: LogEntry[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const [, time, author, type, words = ""] = LOG_ENTRY.exec(line) ?? [];
    const known = authors.find((each) => each === author);
    const last = entries.at(-1);
    if (time !== undefined && known !== undefined)
      entries.push({
        day,
        time,
        author: known,
        type: isMemoryType(type) ? type : undefined,
        text: words,
        source: `${file}:${at + 1}`,
      });
    else if (/^ {2}\S/.test(line) && last)
      entries[entries.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
  }
  return entries;
}

/** Every entry, or those from a day on, oldest first. */
export function readLogs(place: MemoryPlace, since = ""): LogEntry[] {
  const root = path.join(place.folder, "logs");
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) =>
    name.split(path.sep).join("/"),
  );
  return names
    .flatMap((name) => /^\d{4}\/\d\d\/(\d{4}-\d\d-\d\d)\.md$/.exec(name)?.[1] ?? [])
    .filter((day) => day >= since)
    .sort()
    .flatMap((day) => {
      const file = logFileFor(day);
      return parseLogEntries(readInside(place.folder, file, memoryLimits.logBytes)?.text ?? "", day, file);
    });
}

const consolidatedFile = ({ books }: MemoryPlace) => path.join(books, "consolidated.json");

/** The last day on which candidates were shown; empty when they never were. */
function consolidatedOn(place: MemoryPlace) {
  const said = parseJson(readIfThere(consolidatedFile(place)) ?? "");
  return isObject(said) && typeof said.day === "string" ? said.day : "";
}

/** Notes that candidates were shown today: the next proposal is due when a later day's log is complete. */
export function markConsolidated(
  place: MemoryPlace,
  { clock = systemClock, timeZone }: DailyLogOptions = {},
) {
  const { day } = momentOf(clock.now(), timeZone);
  writeFileAtomic(consolidatedFile(place), `${JSON.stringify({ day })}\n`);
}

/** The log of the last two days. */
export interface RecentLog {
  /** Today's file, whether it is there yet or not. */
  readonly file: string;
  /** Of today and of the day before, oldest first. */
  readonly entries: readonly LogEntry[];
  /** Complete days since candidates were last shown. */
  readonly waiting: { readonly entries: number; readonly days: number };
}

/** Reads the log of today and of the day before. */
export function recentLog(
  place: MemoryPlace,
  { clock = systemClock, timeZone }: DailyLogOptions = {},
): RecentLog {
  const now = clock.now();
  const { day: today } = momentOf(now, timeZone);
  const { day: yesterday } = momentOf(now - DAY, timeZone);
  const last = consolidatedOn(place);
  const [since] = [last, yesterday].sort();
  const read = readLogs(place, since);
  // What was logged on the day of the last look, after it, is counted with that day.
  const waiting = read.filter(({ day }) => day >= last && day < today);
  return {
    file: logFileFor(today),
    entries: read.filter(({ day }) => day >= yesterday),
    waiting: { entries: waiting.length, days: new Set(waiting.map(({ day }) => day)).size },
  };
}
