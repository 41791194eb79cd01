// Measures the checker of memories on labelled sets: this repository, or with a folder and a JSON file any other.
import { readFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { checkTruth, readRepository } from "../src/memdir/index.ts";
import { type Labelled, labelled } from "../test/fixtures/memory/labelled.ts";

const [root = process.cwd(), file] = process.argv.slice(2);
const memories: readonly Labelled[] = file === undefined ? labelled : JSON.parse(readFileSync(file, "utf8"));
/** What is written about the repository there is no part of it. */
const ignore = file === undefined ? ["test/fixtures/memory"] : [];

const started = performance.now();
const repository = readRepository(path.resolve(root), { ignore });
const readMs = performance.now() - started;
const judged = memories.map((memory) => ({ ...memory, verdict: checkTruth(memory.text, repository) }));
const checkMs = performance.now() - started - readMs;

const cut = (text: string): string => text.replace(/\s+/g, " ").slice(0, 76).padEnd(76);
for (const { text, isStale, verdict } of judged) {
  const isRight = (verdict.standing === "stale") === isStale;
  const evidence =
    verdict.checked.find(({ standing }) => standing === verdict.standing)?.evidence ?? "nothing to check";
  console.log(
    `${isRight ? " " : "!"} ${isStale ? "stale" : "holds"} ${verdict.standing.padEnd(12)} ${cut(text)} ${evidence}`,
  );
}

const stale = judged.filter(({ isStale }) => isStale);
const found = stale.filter(({ verdict }) => verdict.standing === "stale");
const holding = judged.filter(({ isStale }) => !isStale);
const flagged = holding.filter(({ verdict }) => verdict.standing === "stale");
const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
console.log(`\n${judged.length} memories, ${stale.length} stale`);
console.log(
  `stale found    ${found.length} of ${stale.length}  ${percent(found.length, stale.length)}  (bar: 95 %)`,
);
console.log(
  `holding flagged ${flagged.length} of ${holding.length}  ${percent(flagged.length, holding.length)}  (bar: 0)`,
);
console.log(`read in ${readMs.toFixed(0)} ms, checked in ${checkMs.toFixed(1)} ms`);
if (found.length < 0.95 * stale.length || flagged.length > 0) process.exitCode = 1;
