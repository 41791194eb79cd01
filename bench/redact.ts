// Measures how the time of every scanner grows with its input, on texts made to be slow.

import { collectGarbage } from "../src/lib/index.ts";
import { landmarksOf } from "../src/redact/found.ts";
import { findInjected, findOrders, redactText, redactValue } from "../src/redact/index.ts";
import { privateStretches } from "../src/redact/privateTags.ts";
import { quickRedact } from "../src/redact/quick.ts";
import { createRedact, ownFinders } from "../src/redact/rules.ts";
import { secretlintFinders } from "../src/redact/secretlint.ts";
import type { Bench } from "./bench.ts";
import { option, rounded } from "./measure.ts";
import { adversarialPieces, orderLandmarks, repeated } from "./secrets/adversarial.ts";

const KB = 1_024;
const TOTAL = 1_024 * KB;
/** The same megabyte is scanned in parts of these sizes; each is four times the one before. */
const sizes = [64 * KB, 256 * KB, TOTAL] as const;
const MOST_GROWTH = 4.5;
/** Every text of a scanner is timed once, the slowest of them again, and again: one that only happened to be slow drops out. */
const screens = [
  { size: 4 * KB, keep: 40 },
  { size: 4 * KB, keep: 8 },
  { size: 64 * KB, keep: 3 },
] as const;
/** Less than this for the megabyte is no work: its growth is the clock's. */
const NOTHING_MS = 12;
/** Runs of each size: at least, and at most while those of their text have taken less than this time. */
const RUNS = { least: 2, most: 6, ms: 500 } as const;
/** A growth above the bar is measured again with more runs before it counts. */
const DOUBTFUL_RUNS = { least: 4, most: 12, ms: 4_000 } as const;
/** A scanner that has taken this time is measured on no further text. */
const LONG_MS = 2_000;

interface Scanner {
  readonly name: string;
  readonly landmarks: readonly string[];
  /** The scan of one text; what is built from the text first is not timed. */
  prepare(text: string): () => unknown;
}

/** The lines of a patch or of an answer are walked as a list. */
const linesOf = (text: string): string[] => text.match(/[\s\S]{1,80}/g) ?? [];

const jsonOf = (text: string): unknown => ({
  lines: linesOf(text),
  fields: Object.fromEntries(linesOf(text).map((line, at) => [`password${at}`, line])),
});

function scanners(): Scanner[] {
  const landmarks = [...new Set(ownFinders.flatMap(landmarksOf))];
  const some = landmarks.filter((_, at) => at % 8 === 0);
  const ofText = (name: string, scan: (text: string) => unknown, own: readonly string[] = some): Scanner => ({
    name,
    landmarks: own,
    prepare: (text) => () => scan(text),
  });
  const ofJson = (name: string, scan: (value: unknown) => unknown): Scanner => ({
    name,
    landmarks: some,
    prepare(text) {
      const value = jsonOf(text);
      return () => scan(value);
    },
  });
  return [
    ...[...ownFinders, ...secretlintFinders()].map((finder) =>
      ofText(finder.name, createRedact([finder]), landmarksOf(finder)),
    ),
    ofText("full scan", redactText),
    ofJson("full scan of a JSON value", redactValue),
    ofText("quick scan", (text) => quickRedact({ text })),
    ofJson("quick scan of a JSON value", quickRedact),
    ofText("private tags alone", privateStretches, ["<private"]),
    ofText("injected text", findInjected),
    ofText("orders to a model", (text) => findOrders(text), orderLandmarks),
  ];
}

/** CPU time of this process with its collector: other programs do not count. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** One flat string of its own: not a rope, not a slice of another. */
const flat = (text: string): string => Buffer.from(text).toString();

/** The megabyte in parts. Each part begins with the piece, so that every size asks a scanner for the same work. */
function partsOf({ prepare }: Scanner, piece: string, size: number): (() => unknown)[] {
  return Array.from({ length: TOTAL / size }, () => prepare(flat(repeated(piece, size))));
}

interface Growth {
  readonly piece: string;
  /** For the megabyte, by the size of its parts. */
  readonly times: readonly number[];
  readonly growth: number;
}

/** The shortest of several runs, the sizes in turn: whatever else happens meanwhile only adds. */
function timesOf(scanner: Scanner, piece: string, runs: typeof RUNS | typeof DOUBTFUL_RUNS): number[] {
  const work = sizes.map((size) => partsOf(scanner, piece, size));
  const times = sizes.map(() => Number.POSITIVE_INFINITY);
  let spent = 0;
  for (let run = 0; run < runs.most && (run < runs.least || spent < runs.ms); run += 1)
    for (const [at, parts] of work.entries()) {
      collectGarbage();
      const results: unknown[] = [];
      const time = processorMs(() => {
        for (const scan of parts) results.push(scan());
      });
      spent += time;
      times[at] = Math.min(times[at] ?? time, time);
    }
  return times;
}

function growthOf(times: readonly number[]): number {
  const steps = times.slice(1).map((time, at) => (time < NOTHING_MS ? 1 : (4 * time) / (times[at] ?? time)));
  return Math.max(...steps);
}

function measured(scanner: Scanner, piece: string): Growth {
  const times = timesOf(scanner, piece, RUNS);
  if (growthOf(times) <= MOST_GROWTH) return { piece, times, growth: growthOf(times) };
  const again = timesOf(scanner, piece, DOUBTFUL_RUNS);
  const shortest = times.map((time, at) => Math.min(time, again[at] ?? time));
  return { piece, times: shortest, growth: growthOf(shortest) };
}

/** The pieces whose texts of one size take the longest. */
function slowest(scanner: Scanner, pieces: readonly string[], size: number, keep: number): string[] {
  return pieces
    .map((piece) => ({ piece, time: processorMs(scanner.prepare(flat(repeated(piece, size)))) }))
    .sort((a, b) => b.time - a.time)
    .slice(0, keep)
    .map(({ piece }) => piece);
}

function worstOf(scanner: Scanner): Growth {
  let pieces = adversarialPieces(scanner.landmarks);
  // Compiled before the first is timed.
  for (const piece of pieces.slice(0, 20)) scanner.prepare(repeated(piece, KB))();
  for (const { size, keep } of screens) pieces = slowest(scanner, pieces, size, keep);
  const began = performance.now();
  let worst: Growth | undefined;
  for (const piece of pieces) {
    const growth = measured(scanner, piece);
    if (worst === undefined || growth.growth > worst.growth) worst = growth;
    if (performance.now() - began > LONG_MS) break;
  }
  return worst as Growth;
}

export const bench: Bench = {
  name: "redact",
  measures: ["src/redact"],
  about:
    "Every scanner of redaction on texts made to be slow: how its time grows when the input is four times as long.",
  usage: "[--only=NAME]",
  async run(args) {
    const only = option(args, "only");
    const rows = scanners()
      .filter(({ name }) => only === undefined || name.includes(only))
      .map((scanner) => {
        const { piece, times, growth } = worstOf(scanner);
        const [small, middle, large] = times.map((time) => rounded(time, 1));
        return {
          row: {
            scanner: scanner.name,
            "16 x 64 KB ms": small ?? 0,
            "4 x 256 KB ms": middle ?? 0,
            "1 MB ms": large ?? 0,
            growth: rounded(growth),
            "slowest text": JSON.stringify(piece.slice(0, 40)),
          },
          growth,
        };
      });
    return {
      findings: [
        {
          title: "Growth for four times the input",
          rows: rows.map(({ row }) => row),
          notes: [
            "One megabyte of a repeated piece, scanned as 16 texts of 64 KB, 4 of 256 KB and 1 of 1 MB: CPU time for all of it, the shortest of several runs, the three in turn. Growth is 4 times the larger of the two ratios between neighbours; a scanner whose time is proportional to its input has 4.",
            `Of each scanner the text with the largest growth among its ${screens.at(-1)?.keep} slowest; below ${NOTHING_MS} ms for the megabyte counts as no growth. A growth above the bar is measured again before it counts.`,
            "Garbage is collected before each run and not timed; what the collector does during a run is. The results of all parts are kept until their run ends, so that the collector has as much to keep at every size.",
          ],
        },
      ],
      bars: rows.map(({ row, growth }) => ({
        what: `${row.scanner}: growth`,
        value: growth,
        atMost: MOST_GROWTH,
      })),
    };
  },
};
