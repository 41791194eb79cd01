// Measures how the time of every scanner grows with its input, on texts made to be slow.

import { findInjected, redactText, redactValue } from "../src/redact/index.ts";
import { privateStretches } from "../src/redact/privateTags.ts";
import { quickRedact } from "../src/redact/quick.ts";
import { createRedact, ownFinders } from "../src/redact/rules.ts";
import { secretlintFinders } from "../src/redact/secretlint.ts";
import type { Bench } from "./bench.ts";
import { option, rounded } from "./measure.ts";
import { adversarialPieces, repeated } from "./secrets/adversarial.ts";

const KB = 1_024;
const sizes = [64 * KB, 256 * KB, 1_024 * KB] as const;
/** Each size is four times the one before. */
const MOST_GROWTH = 4.5;
/** How many of the slowest texts of a rule are measured at every size. */
const SLOWEST = 4;
/** Less than this is no work: its growth is the clock's. */
const NOTHING_MS = 3;
const LONG_MS = 3_000;

interface Scanner {
  readonly name: string;
  readonly landmarks: readonly string[];
  scan(text: string): unknown;
}

/** The lines of a patch or of an answer are walked as a list. */
const linesOf = (text: string): string[] => text.match(/[\s\S]{1,80}/g) ?? [];

const jsonOf = (text: string): unknown => ({
  lines: linesOf(text),
  fields: Object.fromEntries(linesOf(text).map((line, at) => [`password${at}`, line])),
});

function scanners(): Scanner[] {
  const all = [...ownFinders, ...secretlintFinders];
  const landmarks = [...new Set(ownFinders.flatMap((finder) => finder.landmarks))];
  const some = landmarks.filter((_, at) => at % 8 === 0);
  return [
    ...all.map((finder): Scanner => {
      const scan = createRedact([finder]);
      return { name: finder.name, landmarks: finder.landmarks, scan: (text) => scan(text) };
    }),
    { name: "full scan", landmarks: some, scan: (text) => redactText(text) },
    { name: "full scan of a JSON value", landmarks: some, scan: (text) => redactValue(jsonOf(text)) },
    { name: "quick scan", landmarks: some, scan: (text) => quickRedact({ text }) },
    { name: "quick scan of a JSON value", landmarks: some, scan: (text) => quickRedact(jsonOf(text)) },
    { name: "private tags alone", landmarks: ["<private"], scan: (text) => privateStretches(text) },
    { name: "injected text", landmarks: some, scan: (text) => findInjected(text) },
  ];
}

/** Of the processor, not of the clock: other programs do not count. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The shortest of several runs: whatever else happens meanwhile only adds. */
function shortest(runs: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: runs }, () => processorMs(work)));
}

interface Growth {
  readonly piece: string;
  readonly times: readonly number[];
  readonly growth: number;
}

function growthOf(scanner: Scanner, piece: string): Growth {
  const times: number[] = [];
  for (const size of sizes) {
    // What has taken so long is known to be slow.
    if ((times.at(-1) ?? 0) > LONG_MS) break;
    const text = repeated(piece, size);
    const first = processorMs(() => scanner.scan(text));
    times.push(
      first > LONG_MS
        ? first
        : Math.min(
            first,
            shortest(4, () => scanner.scan(text)),
          ),
    );
  }
  const steps = times.slice(1).map((time, at) => (time < NOTHING_MS ? 1 : time / (times[at] ?? time)));
  return { piece, times, growth: Math.max(...steps) };
}

function worstOf(scanner: Scanner): Growth {
  const pieces = adversarialPieces(scanner.landmarks);
  scanner.scan(repeated(pieces[0] ?? "a", KB));
  const slowest = pieces
    .map((piece) => {
      const text = repeated(piece, sizes[0]);
      return { piece, time: processorMs(() => scanner.scan(text)) };
    })
    .sort((a, b) => b.time - a.time)
    .slice(0, SLOWEST);
  return slowest
    .map(({ piece }) => growthOf(scanner, piece))
    .sort((a, b) => b.growth - a.growth)[0] as Growth;
}

export const bench: Bench = {
  name: "redact",
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
            "64 KB ms": small ?? 0,
            "256 KB ms": middle ?? 0,
            "1 MB ms": large ?? 0,
            growth: rounded(growth, 1),
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
            `Of each scanner the text with the largest growth among its ${SLOWEST} slowest; a run below ${NOTHING_MS} ms counts as no growth.`,
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
