// Compaction under kill -9 at chosen points: the window before it or the window behind it, and nothing else.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { openCompacting, prepareStep, type Source } from "./compactionStep.ts";
import { runTogether } from "./killLoop.ts";

const compactionWriter = fileURLToPath(new URL("./compactionWriter.ts", import.meta.url));
const AT_ONCE = 4;

interface CompactionTally {
  readonly points: number;
  /** Deaths that left the window as it was, and as it was to be. */
  readonly old: number;
  readonly fresh: number;
}

/** `every` n-th call of the file system, counted from `first`, is a death of its own, each in a folder of its own. */
export async function killCompactions(
  folder: string,
  source: Source,
  every: number,
  first = 0,
): Promise<CompactionTally> {
  const whole = path.join(folder, "whole");
  mkdirSync(whole);
  const before = shownIn(whole, source);
  const [[made = "0"] = []] = await runTogether(compactionWriter, [[whole, source, "never"]]);
  const after = shownIn(whole, source);
  expect(after).not.toBe(before);
  const points = Array.from({ length: Number(made) }, (_, point) => point).filter(
    (at) => at % every === first,
  );
  const left = { old: 0, fresh: 0 };
  for (let at = 0; at < points.length; at += AT_ONCE) {
    const batch = points.slice(at, at + AT_ONCE).map((point) => path.join(folder, String(point)));
    for (const own of batch) mkdirSync(own);
    const printed = await runTogether(
      compactionWriter,
      batch.map((own) => [own, source, path.basename(own)]),
    );
    expect(printed).toEqual(batch.map(() => []));
    for (const own of batch) {
      const shown = shownIn(own, source);
      expect([before, after]).toContain(shown);
      if (shown === after) left.fresh++;
      else left.old++;
      expectWhole(own, source, after);
    }
  }
  return { points: points.length, ...left };
}

/** The last committed view: a session that decides nothing carries out its ledger. */
function shownIn(folder: string, source: Source): string {
  return JSON.stringify(prepareStep(openCompacting(folder, false), source).messages);
}

/** Whatever was left behind, the next request is compacted as it would have been, and no handle points at nothing. */
function expectWhole(folder: string, source: Source, after: string): void {
  const session = openCompacting(folder, true);
  expect(JSON.stringify(prepareStep(session, source).messages)).toBe(after);
  for (const { handles = [] } of session.ledger.entries())
    for (const handle of handles) expect(session.vault.read(handle).length).toBeGreaterThan(0);
  expect(session.vault.verify()).toMatchObject({ corrupt: [], missing: [] });
}
