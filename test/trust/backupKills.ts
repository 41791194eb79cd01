// Backup and restore under kill -9 at chosen points: a whole set or none, the old state or the new one.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { verifySet } from "../../src/backup/restore.ts";
import { runTogether } from "../kill/killLoop.ts";
import { addTo, backUp, copyHome, looksOf, restore, SET } from "./backupHome.ts";

const writer = fileURLToPath(new URL("./backupWriter.ts", import.meta.url));
const AT_ONCE = 12;

interface Tally {
  readonly points: number;
  readonly before: number;
  readonly after: number;
}

/** Kills at `most` points that are spread over the whole work, each in a copy of the home. */
async function killAt(
  folder: string,
  what: "backup" | "restore",
  most: number,
  look: (root: string) => Promise<boolean>,
): Promise<Tally> {
  const template = path.join(folder, "template");
  const whole = path.join(folder, "whole");
  copyHome(template, whole);
  const [[made = "0"] = []] = await runTogether(writer, [[whole, what, "never"]]);
  const step = Math.max(1, Math.floor(Number(made) / most));
  const points = Array.from({ length: Number(made) }, (_, at) => at).filter((at) => at % step === 0);
  let after = 0;
  for (let at = 0; at < points.length; at += AT_ONCE) {
    const roots = points.slice(at, at + AT_ONCE).map((point) => path.join(folder, String(point)));
    for (const root of roots) copyHome(template, root);
    const printed = await runTogether(
      writer,
      roots.map((root) => [root, what, path.basename(root)]),
    );
    expect(printed).toEqual(roots.map(() => []));
    for (const root of roots) {
      if (await look(root)) after += 1;
      rmSync(root, { recursive: true, force: true });
    }
  }
  return { points: points.length, before: points.length - after, after };
}

export async function killBackups(folder: string, most: number): Promise<Tally> {
  await addTo(path.join(folder, "template"), "one");
  return killAt(folder, "backup", most, async (root) => {
    const set = path.join(root, SET);
    const isThere = existsSync(set);
    if (isThere) verifySet(set);
    else await backUp(root);
    verifySet(set);
    return isThere;
  });
}

export async function killRestores(folder: string, most: number): Promise<Tally> {
  const template = path.join(folder, "template");
  await addTo(template, "one");
  await backUp(template);
  const saved = await looksOf(template);
  await addTo(template, "two");
  const present = await looksOf(template);
  expect(present).not.toEqual(saved);
  return killAt(folder, "restore", most, async (root) => {
    const found = await looksOf(root);
    expect([present, saved]).toContainEqual(found);
    await restore(root);
    expect(await looksOf(root)).toEqual(saved);
    return JSON.stringify(found) === JSON.stringify(saved);
  });
}
