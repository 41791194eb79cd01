// Measures redaction on a labelled set: what is found, what is missed, what is hidden in vain, and how fast.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson } from "../src/lib/index.ts";
import { type Found, redactText } from "../src/redact/index.ts";
import type { Bar, Bench, Finding, Outcome } from "./bench.ts";
import { rounded, timedNow } from "./measure.ts";
import { generateFormats } from "./secrets/formats/generate.ts";
import { generate, type Label, type Labelled } from "./secrets/generate.ts";

/** The bars, in percent: of our own set, and of sets that rules were not written for. */
const bar = { recall: 98, precision: 95 };
const strangeBar = { recall: 95, precision: 95 };

function isLabel(value: unknown): value is Label {
  return isObject(value) && typeof value.start === "number" && typeof value.end === "number";
}

function readSet(file: string): Labelled[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, at) => {
      if (line.trim() === "") return [];
      const value = parseJson(line);
      if (!isObject(value) || typeof value.text !== "string")
        throw new Error(`${file}:${at + 1} is not {"text", "secrets"}`);
      const secrets = Array.isArray(value.secrets) ? value.secrets.filter(isLabel) : [];
      return [
        {
          text: value.text,
          secrets: secrets.map((each) => ({ ...each, kind: String(each.kind ?? "secret") })),
        },
      ];
    });
}

/** Whether the finds together cover every character of the label. */
function covers(found: readonly Found[], { start, end }: Label): boolean {
  let at = start;
  for (const find of found) if (find.start <= at && find.end > at) at = find.end;
  return at >= end;
}

interface Score {
  readonly found: Map<string, [hit: number, all: number]>;
  readonly misses: string[];
  readonly alarms: string[];
  hidden: number;
  rightly: number;
}

const around = (text: string, start: number, end: number): string =>
  JSON.stringify(
    `${text.slice(Math.max(0, start - 40), start)}⟦${text.slice(start, Math.min(end, start + 90))}⟧${text.slice(end, end + 20)}`,
  );

function score(set: readonly Labelled[]): Score {
  const result: Score = { found: new Map(), misses: [], alarms: [], hidden: 0, rightly: 0 };
  for (const { text, secrets } of set) {
    const { found } = redactText(text);
    for (const label of secrets) {
      const [hit, all] = result.found.get(label.kind) ?? [0, 0];
      const isHit = covers(found, label);
      result.found.set(label.kind, [hit + (isHit ? 1 : 0), all + 1]);
      if (!isHit) result.misses.push(`${label.kind}: ${around(text, label.start, label.end)}`);
    }
    for (const find of found) {
      result.hidden += 1;
      if (secrets.some((label) => label.start < find.end && find.start < label.end)) result.rightly += 1;
      else result.alarms.push(`${find.kind}: ${around(text, find.start, find.end)}`);
    }
  }
  return result;
}

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (part / whole) * 100);

interface Measured {
  readonly row: Readonly<Record<string, string | number>>;
  readonly details: readonly Finding[];
  readonly bars: readonly Bar[];
}

function measure(name: string, set: readonly Labelled[], isVerbose: boolean): Measured {
  const atLeast = name.startsWith("formats") ? strangeBar : bar;
  const { found, misses, alarms, hidden, rightly } = score(set);
  const totals = [...found.values()];
  const hit = totals.reduce((sum, [part]) => sum + part, 0);
  const all = totals.reduce((sum, [, whole]) => sum + whole, 0);
  const [recall, precision] = [percent(hit, all), percent(rightly, hidden)];
  const kinds = [...found].sort().map(([kind, [part, whole]]) => ({ kind, found: part, there: whole }));
  const shown = isVerbose ? kinds : kinds.filter((row) => row.found < row.there);
  const details: Finding[] = shown.length === 0 ? [] : [{ title: `${name}: kinds`, rows: shown }];
  if (isVerbose && misses.length + alarms.length > 0) {
    const rows = [
      ...misses.map((where) => ({ what: "missed", where })),
      ...alarms.map((where) => ({ what: "false alarm", where })),
    ];
    details.push({ title: `${name}: misses and false alarms`, rows });
  }
  return {
    row: {
      set: name,
      secrets: all,
      kinds: found.size,
      "texts without any": set.filter(({ secrets }) => secrets.length === 0).length,
      "recall %": rounded(recall),
      "precision %": rounded(precision),
      "false alarms": alarms.length,
    },
    details,
    bars: [
      { what: `${name}: recall %`, value: recall, atLeast: atLeast.recall },
      { what: `${name}: precision %`, value: precision, atLeast: atLeast.precision },
    ],
  };
}

function megabytesPerSecond(texts: readonly string[]): number {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const rounds = Math.max(1, Math.round(8e6 / Math.max(1, bytes)));
  const redact = (): void => {
    for (const text of texts) redactText(text);
  };
  redact();
  const ms = timedNow(() => {
    for (let round = 0; round < rounds; round += 1) redact();
  });
  return rounded((bytes * rounds) / 1e3 / ms, 1);
}

/** Ordinary text to measure on: the sources and pages of this project, in pieces of a few kilobytes like tool results. */
function ordinaryTexts(): string[] {
  return ["src", "docs"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|md)$/.test(name) && !name.startsWith("redact"))
      .flatMap((name) => readFileSync(path.join(folder, name), "utf8").match(/[\s\S]{1,4096}/g) ?? []),
  );
}

function setsFor(args: readonly string[]): [string, Labelled[]][] {
  const seedAt = args.indexOf("--seed");
  const seed = seedAt < 0 ? "1" : (args[seedAt + 1] ?? "1");
  const files = args.filter(
    (arg, at) => !arg.startsWith("--") && !["--write", "--seed"].includes(args[at - 1] ?? ""),
  );
  if (files.length > 0) return files.map((file) => [file, readSet(file)]);
  return [
    ["tuned half", generate("tuned", seed)],
    ["held-out half", generate("held-out", seed)],
    ["formats, tuned", generateFormats("tuned", seed)],
    ["formats, held out", generateFormats("held-out", seed)],
  ];
}

function writeSet(target: string, set: readonly Labelled[]): Outcome {
  writeFileSync(target, set.map((each) => `${JSON.stringify(each)}\n`).join(""), { mode: 0o600 });
  return { findings: [{ title: `Written to ${target}`, rows: [{ lines: set.length }] }] };
}

export const bench: Bench = {
  name: "secrets",
  measures: ["src/redact"],
  about: "Redaction on a labelled set: what is found, what is missed, what is hidden in vain, and how fast.",
  usage: "[FILE.jsonl…] [--verbose] [--seed N] [--write FILE.jsonl]",
  async run(args) {
    const sets = setsFor(args);
    const all = sets.flatMap(([, set]) => set);
    const target = args.includes("--write") ? args[args.indexOf("--write") + 1] : undefined;
    if (target !== undefined) return writeSet(target, all);
    const measured = sets.map(([name, set]) => measure(name, set, args.includes("--verbose")));
    const speeds = [
      {
        text: "this set, which is dense in secrets",
        "MB/s": megabytesPerSecond(all.map(({ text }) => text)),
      },
      { text: "the sources of this project", "MB/s": megabytesPerSecond(ordinaryTexts()) },
    ];
    return {
      findings: [
        { title: "Found and hidden", rows: measured.map(({ row }) => row) },
        ...measured.flatMap(({ details }) => details),
        { title: "Speed", rows: speeds },
      ],
      bars: measured.flatMap(({ bars }) => bars),
    };
  },
};
