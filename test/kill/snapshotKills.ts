// Snapshots under kill -9: what every round must find, for the short run and the long one.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { listSnapshots, referenceIn, startSession } from "../../src/snapshot/index.ts";
import { openVault } from "../../src/vault/index.ts";
import { killLoop } from "./killLoop.ts";
import { snapshotKillKey, snapshotWords } from "./snapshotContent.ts";

const writer = fileURLToPath(new URL("./snapshotWriter.ts", import.meta.url));
const rules = "\ufeff---\r\ntitle: x\r\n---\r\n# Rules\r\n\r\nKeep it small.";

interface SnapshotTally {
  readonly kills: number;
  /** Rounds after which a snapshot was there without a reference, or a temporary file. */
  readonly unreferenced: number;
  readonly strays: number;
  readonly confirmed: number;
}

const namesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" });

/** A project with a page that has everything a page may have. */
function makeProject(folder: string): string {
  const project = path.join(folder, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "CLAUDE.md"), rules);
  return project;
}

/** What is wrong with a project after a kill; then the next starts: one that may load, and one that cleans up. */
function checkProject(folder: string, tally: { unreferenced: number; strays: number }): void {
  const project = path.join(folder, "project");
  const page = path.join(project, "CLAUDE.md");
  const text = readFileSync(page, "utf8");
  const block = /\r\n---\r\n<!-- TEMP_COMPACT_SNAPSHOT_START -->[\s\S]*_END -->\r\n---\r\n\r\n/;
  expect(text.replace(block, "")).toBe(rules);
  tally.strays += namesIn(project).filter((name) => name.endsWith(".tmp")).length;
  const found = listSnapshots(project, snapshotKillKey);
  for (const { whole, file, session } of found) {
    expect([file, whole]).toEqual([file, true]);
    expect(readFileSync(file, "utf8")).toContain(snapshotWords(session ?? ""));
  }
  if (found.length > 0 && referenceIn(project, "CLAUDE.md") === undefined) tally.unreferenced += 1;
  const vault = openVault(path.join(folder, "vault"));
  const keep = (bytes: Uint8Array): void => void vault.put(bytes, { session: "kept" });
  const start = (now: number) =>
    startSession({
      ...{ project, session: "next", source: "startup", now, hours: 2, language: "en", keep },
      ...{ key: snapshotKillKey, tracked: new Set(), isFirstSight: () => true },
    });
  const young = start(Date.now());
  if (young.decision.action === "LOAD") expect(young.context).toContain("the words of r");
  start(Date.now() + 3 * 3_600_000);
  expect(readFileSync(page, "utf8")).toBe(rules);
  expect(namesIn(project).filter((name) => ![".claude", "CLAUDE.md"].includes(name))).toEqual([]);
  expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
}

/** Several projects a round, each with a writer of its own, all killed. */
export async function killSnapshotWriters(
  folder: string,
  kills: number,
  seed: number,
): Promise<SnapshotTally> {
  const writers = 4;
  const folders = Array.from({ length: writers }, (_, number) => path.join(folder, `w${number}`));
  for (const own of folders) makeProject(own);
  const tally = { kills, unreferenced: 0, strays: 0, confirmed: 0 };
  await killLoop({
    entry: writer,
    args: (round, number) => [folders[number] ?? "", `r${round}`],
    kills: kills / writers,
    writers,
    seed,
    onRound: ({ confirmed }) => {
      tally.confirmed += confirmed.flat().filter((line) => line.endsWith(".md")).length;
      for (const own of folders) checkProject(own, tally);
    },
  });
  return tally;
}
