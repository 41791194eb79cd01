// Measures redaction on a labelled set: what is found, what is missed, what is hidden in vain, and how fast.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { errorText, isObject, parseJson } from "../src/lib/index.ts";
import { type Found, redactText } from "../src/redact/index.ts";
import { generate, type Label, type Labelled } from "./secrets/generate.ts";

/** The bar, in percent. */
const bar = { recall: 98, precision: 95 };

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

function report(name: string, set: readonly Labelled[], isVerbose: boolean): boolean {
  const { found, misses, alarms, hidden, rightly } = score(set);
  const totals = [...found.values()];
  const hit = totals.reduce((sum, [part]) => sum + part, 0);
  const all = totals.reduce((sum, [, whole]) => sum + whole, 0);
  const recall = percent(hit, all);
  const precision = percent(rightly, hidden);
  const plain = set.filter(({ secrets }) => secrets.length === 0).length;
  console.log(`${name}: ${all} secrets of ${found.size} kinds, ${plain} texts without any`);
  if (isVerbose || hit < all)
    for (const [kind, [part, whole]] of [...found].sort())
      if (isVerbose || part < whole) console.log(`  ${kind.padEnd(28)} ${part}/${whole}`);
  console.log(`  recall    ${recall.toFixed(2)} %  (bar ${bar.recall})`);
  console.log(`  precision ${precision.toFixed(2)} %  (bar ${bar.precision}), ${alarms.length} false alarms`);
  if (isVerbose) {
    for (const miss of misses) console.log(`  missed ${miss}`);
    for (const alarm of alarms) console.log(`  alarm  ${alarm}`);
  }
  return recall >= bar.recall && precision >= bar.precision;
}

function megabytesPerSecond(texts: readonly string[]): string {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const rounds = Math.max(1, Math.round(8e6 / Math.max(1, bytes)));
  for (const text of texts) redactText(text);
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) for (const text of texts) redactText(text);
  const seconds = (performance.now() - start) / 1_000;
  return `${((bytes * rounds) / 1e6 / seconds).toFixed(1)} MB/s`;
}

/** Ordinary text to measure on: the sources and pages of this project, in pieces of a few kilobytes like tool results. */
function ordinaryTexts(): string[] {
  return ["src", "docs"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|md)$/.test(name) && !name.startsWith("redact"))
      .flatMap((name) => readFileSync(path.join(folder, name), "utf8").match(/[\s\S]{1,4096}/g) ?? []),
  );
}

function speed(set: readonly Labelled[]): void {
  console.log(
    `speed on this set, which is dense in secrets: ${megabytesPerSecond(set.map(({ text }) => text))}`,
  );
  console.log(`speed on the sources of this project: ${megabytesPerSecond(ordinaryTexts())}`);
}

function main(args: readonly string[]): number {
  const isVerbose = args.includes("--verbose");
  const writeAt = args.indexOf("--write");
  const seedAt = args.indexOf("--seed");
  const files = args.filter(
    (arg, at) => !arg.startsWith("--") && !["--write", "--seed"].includes(args[at - 1] ?? ""),
  );
  const seed = seedAt < 0 ? "1" : (args[seedAt + 1] ?? "1");
  const sets: [string, Labelled[]][] =
    files.length > 0
      ? files.map((file) => [file, readSet(file)])
      : [
          ["tuned half", generate("tuned", seed)],
          ["held-out half", generate("held-out", seed)],
        ];
  const target = args[writeAt + 1];
  if (writeAt >= 0 && target !== undefined) {
    const lines = sets.flatMap(([, set]) => set).map((each) => JSON.stringify(each));
    writeFileSync(target, `${lines.join("\n")}\n`, { mode: 0o600 });
    console.log(`${lines.length} lines written to ${target}`);
    return 0;
  }
  const met = sets.map(([name, set]) => report(name, set, isVerbose));
  speed(sets.flatMap(([, set]) => set));
  console.log(met.every(Boolean) ? "met" : "missed");
  return met.every(Boolean) ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 2;
}
