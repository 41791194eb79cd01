// Measures the checker of memories on labelled sets: this repository, or with a folder and a JSON file any other.
import { readFileSync } from "node:fs";
import path from "node:path";
import { checkTruth, readRepository } from "../src/memdir/index.ts";
import { type Labelled, labelled } from "../test/fixtures/memory/labelled.ts";
import type { Bench } from "./bench.ts";
import { rounded, timedNow } from "./measure.ts";

const LEAST_FOUND = 0.95;

function judge(root: string, memories: readonly Labelled[], ignore: readonly string[]) {
  let repository: ReturnType<typeof readRepository> | undefined;
  const readMs = timedNow(() => {
    repository = readRepository(path.resolve(root), { ignore: [...ignore] });
  });
  const judged: { text: string; isStale: boolean; verdict: ReturnType<typeof checkTruth> }[] = [];
  const checkMs = timedNow(() => {
    if (!repository) return;
    for (const memory of memories) judged.push({ ...memory, verdict: checkTruth(memory.text, repository) });
  });
  return { judged, readMs, checkMs };
}

const cut = (text: string): string => text.replace(/\s+/g, " ").slice(0, 76);

export const bench: Bench = {
  name: "memory",
  about: "Memories of which it is known whether they are stale, judged against their repository.",
  usage: "[FOLDER FILE.json]",
  async run([root = process.cwd(), file]) {
    const memories: readonly Labelled[] =
      file === undefined ? labelled : JSON.parse(readFileSync(file, "utf8"));
    // What is written about the repository there is no part of it.
    const { judged, readMs, checkMs } = judge(
      root,
      memories,
      file === undefined ? ["test/fixtures/memory"] : [],
    );
    const rows = judged.map(({ text, isStale, verdict }) => ({
      right: (verdict.standing === "stale") === isStale ? "" : "!",
      is: isStale ? "stale" : "holds",
      judged: verdict.standing,
      memory: cut(text),
      evidence:
        verdict.checked.find(({ standing }) => standing === verdict.standing)?.evidence ?? "nothing to check",
    }));
    const isFlagged = ({ verdict }: (typeof judged)[number]): boolean => verdict.standing === "stale";
    const stale = judged.filter(({ isStale }) => isStale);
    const holding = judged.filter(({ isStale }) => !isStale);
    const [found, flagged] = [stale.filter(isFlagged).length, holding.filter(isFlagged).length];
    const counts = {
      memories: judged.length,
      stale: stale.length,
      "stale found": found,
      "others flagged": flagged,
      "read ms": Math.round(readMs),
      "checked ms": rounded(checkMs, 1),
    };
    return {
      findings: [
        { title: "Every memory", rows },
        { title: "In all", rows: [counts] },
      ],
      bars: [
        { what: "share of stale ones found", value: found / Math.max(1, stale.length), atLeast: LEAST_FOUND },
        { what: "others flagged", value: flagged, atMost: 0 },
      ],
    };
  },
};
