// The index as text: dated tables and the latest sessions, cut to a number of tokens and characters.

import { type Calendar, calendarOf } from "../dates/index.ts";
import { ownContextMark, sumOf } from "../lib/index.ts";
import { hitFrom } from "../search/index.ts";
import type { Observation, Summary } from "../store/index.ts";
import { estimateText } from "../tokens/index.ts";
import { gistOf } from "./gist.ts";
import type { MemoriesLook } from "./memories.ts";
import { cellOf, cut, isOrder, lineOf } from "./quote.ts";
import { type InjectWords, injectWords, typeIcons } from "./words.ts";

interface Material {
  /** The project's name. */
  readonly project: string;
  readonly now: number;
  /** Best first. */
  readonly chosen: readonly Observation[];
  /** One for each session, newest first. */
  readonly summaries: readonly Summary[];
}

export interface Look extends MemoriesLook {
  readonly timeZone?: string;
}

/** The words and dates of a language. */
interface Locale {
  readonly words: InjectWords;
  readonly calendar: Calendar;
}

interface IndexRow {
  readonly id: number;
  readonly epoch: number;
  readonly line: string;
}

/** Titles are whole: fewer of them say more than many that end in their middle. Only what was imported may be longer. */
const INDEX_TITLE_WIDTH = 120;
const REQUEST_WIDTH = 52;
const DONE_WIDTH = 56;
const NEXT_WIDTH = 160;
const PROJECT_WIDTH = 60;
const WITHHELD_PROJECT = "this project";
/** Of the room below the introduction, so much is for the latest sessions. */
const SHARE_OF_SESSIONS = 0.5;
/** Few sessions are told at length. */
const FEW = 3;
const WIDE = { scale: 2.5, detailed: FEW };
/**
 * Layouts of the sessions; the first that has room for all is used. `scale` is the width, `detailed` the number of sessions
 * that also show what was done. Ten short lines tell more than five long ones, and a line cut in its middle tells nothing.
 */
const SESSION_LAYOUTS: readonly { readonly scale: number; readonly detailed: number }[] = [
  { scale: 1.6, detailed: Number.POSITIVE_INFINITY },
  { scale: 1, detailed: Number.POSITIVE_INFINITY },
  ...[5, 3, 1].map((detailed) => ({ scale: 1, detailed })),
  ...[1, 0.8, 0.6].map((scale) => ({ scale, detailed: 0 })),
];

const estimatedTokens = (text: string) => estimateText(text, "new");

const tableLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const tableHeader = (columns: readonly string[]) =>
  `${tableLine(columns)}\n|${columns.map(() => "--").join("|")}|`;

function observationRow(row: Observation, { words, calendar }: Locale): IndexRow {
  const { ref, tokens } = hitFrom({ kind: "observation", row }, { layer: "index" });
  const title = lineOf(row.title, words.withheld);
  const before = [ref, calendar.time(row.createdAtEpoch), typeIcons[row.type]];
  const line = tableLine([...before, cellOf(title, INDEX_TITLE_WIDTH), `~${tokens}`]);
  return { id: row.id, epoch: row.createdAtEpoch, line };
}

/** The first, and of the others those that fit whole. */
const joinedWithin = (width: number, first: string, others: readonly string[]) =>
  others.reduce((text, one) => (text.length + one.length + 2 > width ? text : `${text}; ${one}`), first);

/** A summary's row, as wide as it is asked to be, with what was done or without. */
function summaryRow(
  row: Summary,
  { words, calendar }: Locale,
): (scale: number, isDetailed: boolean) => IndexRow {
  const { ref } = hitFrom({ kind: "summary", row }, { layer: "index" });
  const { createdAtEpoch: epoch, request, completed, learned } = row;
  const asked = lineOf(gistOf(request ?? ""), words.withheld);
  const [done = "", ...more] = (completed ?? learned ?? "")
    .split("\n")
    .map((one) => lineOf(one, words.withheld));
  return (scale, isDetailed) => {
    const cells = isDetailed
      ? [
          cellOf(asked, REQUEST_WIDTH * scale),
          cellOf(joinedWithin(DONE_WIDTH * scale, done, more), DONE_WIDTH * scale),
        ]
      : [cellOf(asked === "" ? done : asked, REQUEST_WIDTH * scale), ""];
    return { id: row.id, epoch, line: tableLine([ref, calendar.shortDay(epoch), ...cells]) };
  };
}

/** What the newest session left to be done, when it says so. */
function nextLine(summaries: readonly Summary[], words: InjectWords) {
  const [newest] = summaries;
  if (newest?.nextSteps === undefined || isOrder(newest.nextSteps)) return "";
  // A question of the assistant offers what was not asked for.
  const steps = newest.nextSteps.split("\n").filter((step) => !/[?？]\s*$/.test(step));
  if (steps.length === 0) return "";
  const { ref } = hitFrom({ kind: "summary", row: newest }, { layer: "index" });
  return `${words.next(ref)} ${cut(lineOf(steps.join("; "), words.withheld), NEXT_WIDTH)}`;
}

/** As many as the room allows, in their order; the others are not even worded. */
function rowsWithin<T>(
  items: readonly T[],
  room: number,
  rowOf: (item: T) => IndexRow,
  costOf: (row: IndexRow) => number,
) {
  const picked: IndexRow[] = [];
  let left = room;
  for (const item of items) {
    const row = rowOf(item);
    left -= costOf(row);
    if (left < 0) break;
    picked.push(row);
  }
  return picked;
}

/** All of them where they can be made short enough, else the newest that fit. */
function sessionRows(summaries: readonly Summary[], room: number, locale: Locale) {
  const rows = summaries.map((row) => summaryRow(row, locale));
  let picked: IndexRow[] = [];
  for (const { scale, detailed } of rows.length <= FEW ? [WIDE, ...SESSION_LAYOUTS] : SESSION_LAYOUTS) {
    picked = rowsWithin(
      [...rows.entries()],
      room,
      ([at, row]) => row(scale, at < detailed),
      ({ line }) => estimatedTokens(line),
    );
    if (picked.length === rows.length) break;
  }
  return picked;
}

/** The most important that fit. */
function observationRows(chosen: readonly Observation[], room: number, locale: Locale) {
  const { words, calendar } = locale;
  const days = new Set<string>();
  return rowsWithin(
    chosen,
    room,
    (one) => observationRow(one, locale),
    ({ line, epoch }) => {
      const day = calendar.day(epoch);
      const heading = days.has(day) ? 0 : estimatedTokens(`### ${day}\n${tableHeader(words.columns)}\n\n`);
      days.add(day);
      return estimatedTokens(line) + heading;
    },
  );
}

function dayTables(rows: readonly IndexRow[], { words, calendar }: Locale) {
  const days = new Map<string, IndexRow[]>();
  for (const row of rows.toSorted((a, b) => b.epoch - a.epoch || b.id - a.id)) {
    const day = calendar.day(row.epoch);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days].map(([day, list]) =>
    [`### ${day}`, tableHeader(words.columns), ...list.map(({ line }) => line)].join("\n"),
  );
}

interface Frame {
  readonly head: string;
  readonly next: string;
  readonly end: string;
}

function framed({ head, next, end }: Frame, tables: readonly string[], sessions: string) {
  const body = [head, ...tables, sessions, sessions === "" ? "" : next].filter((part) => part !== "");
  return `${body.join("\n\n")}\n\n${end}`;
}

function frameOf(material: Material, look: Look, { words, calendar }: Locale): Frame {
  const { project, now, chosen, summaries } = material;
  const epochs = [...chosen, ...summaries].map(({ createdAtEpoch }) => createdAtEpoch);
  const newest = epochs.reduce((last, epoch) => Math.max(last, epoch), 0);
  const name = cut(lineOf(project, WITHHELD_PROJECT), PROJECT_WIDTH);
  const age = words.age(calendar.daysBetween(newest, now));
  const intro = words.intro(name, `${calendar.day(newest)} ${calendar.time(newest)}`, age);
  return {
    head: [
      `<${ownContextMark.name} kind="memory" nonce="${look.nonce}">`,
      intro,
      words.fetch,
      words.legend,
    ].join("\n"),
    next: nextLine(summaries, words),
    end: `${words.end(look.nonce)}\n${ownContextMark.close}`,
  };
}

/** Within its tokens and characters; empty where there is nothing to inject, or no budget left. */
export function renderIndex(material: Material, look: Look) {
  if (material.chosen.length + material.summaries.length === 0) return "";
  const words = injectWords[look.language];
  const locale: Locale = { words, calendar: calendarOf(look.language, look.timeZone) };
  const frame = frameOf(material, look, locale);
  const room = look.tokens - estimatedTokens(framed(frame, [], ""));
  const sessionHead = `### ${words.sessions}\n${tableHeader(words.sessionColumns)}`;
  const sessionRoom = room * SHARE_OF_SESSIONS - estimatedTokens(sessionHead) - estimatedTokens(frame.next);
  const sessions = sessionRows(material.summaries, sessionRoom, locale);
  const spent = sumOf(sessions, ({ line }) => estimatedTokens(line));
  const taking =
    sessions.length === 0 ? 0 : spent + estimatedTokens(sessionHead) + estimatedTokens(frame.next);
  const observations = observationRows(material.chosen, room - taking, locale);
  // Sums of estimates are not the estimate of the sum: whatever is too much goes, the least important first.
  for (;;) {
    const list = sessions.length === 0 ? "" : [sessionHead, ...sessions.map(({ line }) => line)].join("\n");
    const text = framed(frame, dayTables(observations, locale), list);
    if (observations.length + sessions.length === 0) return "";
    if (text.length <= look.characters && estimatedTokens(text) <= look.tokens) return text;
    if (observations.length >= sessions.length) observations.pop();
    else sessions.pop();
  }
}
