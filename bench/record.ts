// Results that are kept: one file a bench, with the machine and the day, for a program and as a page.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isObject, parseJson } from "../src/lib/index.ts";
import { type Bench, holds, type Outcome } from "./bench.ts";
import { barText, pageTable } from "./print.ts";

/** What numbers depend on, and nothing that says whose machine it is. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGB: number;
  readonly node: string;
  readonly system: string;
}

export interface Recorded extends Outcome {
  readonly bench: string;
  readonly about: string;
  /** The day, UTC. */
  readonly date: string;
  readonly machine: Machine;
  /** How it was called, without the names of folders. */
  readonly command: string;
  /** The folders it measured, and a hash of the code in them. Results of earlier versions have none. */
  readonly measures?: readonly string[];
  readonly code?: string;
}

export const resultsFolder = path.resolve("bench", "results");

export function thisMachine(): Machine {
  return {
    cores: os.availableParallelism(),
    processor: os.cpus()[0]?.model.trim() || os.arch(),
    memoryGB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    system: `${os.platform()} ${os.release().replace(/-.*$/, "")} ${os.arch()}`,
  };
}

export function machineText({ cores, processor, memoryGB, node, system }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGB} GB, Node ${node.replace(/^v/, "")}, ${system}`;
}

/** A hash of the code in these folders; tests are not code that is measured. */
export function codeHash(folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|mjs|cjs|js)$/.test(name) && !/\.(?:test|soak)\.|node_modules/.test(name))
      .map((name) => path.join(folder, name)),
  );
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

/** Whether the code that a result measures has changed since, or is not known. */
export const isStale = ({ measures, code }: Recorded): boolean => !measures || codeHash(measures) !== code;

export function record(
  bench: Omit<Bench, "run">,
  command: string,
  outcome: Outcome,
  folder = resultsFolder,
): Recorded {
  const recorded: Recorded = {
    bench: bench.name,
    about: bench.about,
    date: new Date().toISOString().slice(0, 10),
    machine: thisMachine(),
    command,
    measures: bench.measures,
    code: codeHash(bench.measures),
    ...outcome,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${bench.name}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
  writeFileSync(path.join(folder, `${bench.name}.md`), recordedPage(recorded));
  return recorded;
}

export function recordedPage({
  bench,
  about,
  date,
  machine,
  command,
  findings,
  bars = [],
}: Recorded): string {
  const held = bars.map((bar) => `- ${barText(bar)}: ${holds(bar) ? "holds" : "**does not hold**"}`);
  return `${[
    `# ${bench}`,
    about,
    `\`${command}\`, ${date}, ${machineText(machine)}.`,
    ...findings.flatMap((finding) => [`## ${finding.title}`, pageTable(finding), ...(finding.notes ?? [])]),
    ...(held.length > 0 ? [`## What has to hold`, held.join("\n")] : []),
  ].join("\n\n")}\n`;
}

function isRecorded(value: unknown): value is Recorded {
  return (
    isObject(value) &&
    typeof value.bench === "string" &&
    typeof value.date === "string" &&
    isObject(value.machine) &&
    Array.isArray(value.findings)
  );
}

/** Every result that is kept, by the name of its bench. */
export function recordedResults(folder = resultsFolder): ReadonlyMap<string, Recorded> {
  const found = new Map<string, Recorded>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
    const value = parseJson(readFileSync(path.join(folder, name), "utf8"));
    if (!isRecorded(value)) throw new Error(`bench/results/${name} is not what a bench writes`);
    found.set(value.bench, value);
  }
  return found;
}
