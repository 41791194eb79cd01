// A home with something of everything that a backup covers, and what it looks like from outside.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { finishRestore, makeSet, restoreSet } from "../../src/backup/index.ts";
import {
  databaseFile,
  type Home,
  ledgerFile,
  resolveHome,
  sessionPlace,
  vaultFolder,
} from "../../src/home/index.ts";
import { sha256 } from "../../src/lib/index.ts";
import { openStore, type RedactedEvent } from "../../src/store/index.ts";
import { openVault } from "../../src/vault/index.ts";

export const NOW = Date.parse("2026-11-16T09:00:00.000Z");
export const SET = "set";
const WORK = "/work/of/app";

export const homeIn = (root: string): Home =>
  resolveHome({
    env: { THROUGHLINE_HOME: path.join(root, "home") },
    platform: process.platform,
    homeFolder: root,
  });

/** Stands for the memory folder that Claude Code keeps, outside the data folder. */
export const memoryIn = (root: string): string => path.join(root, "claude", "projects", "app", "memory");

const memoryOf = (root: string) => (work: string) => (work === WORK ? memoryIn(root) : undefined);

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const event = (id: string): RedactedEvent => ({
  v: 1,
  id: `ev_${id}`,
  kind: "prompt",
  at: "2026-11-16T09:00:00.000Z",
  session: "s1",
  lane: "hooks",
  writer: "0.1.0",
  payload: { prompt: `words ${id}` },
  project: "app-00000001",
  cwd: WORK,
});

/** Adds one thing to every part. */
export async function addTo(root: string, name: string): Promise<void> {
  const home = homeIn(root);
  const store = await openStore({ file: databaseFile(home) });
  await store.recordEvents([event(name)]);
  await store.close();
  const vault = openVault(vaultFolder(home));
  const long = `${name} `.repeat(5_000);
  const { handle } = vault.put(`before ${long}`, { session: "s1" }, ["before ", long]);
  const place = sessionPlace(home, "app-00000001", "s1");
  const entry = {
    ...{ v: 1, id: `e_${name}`, at: "2026-11-16T09:00:00.000Z", by: "here", level: "snip", why: "test" },
    ...{ edit: { kind: "pin", items: ["u1"] }, handles: [handle] },
  };
  const before = existsSync(ledgerFile(place)) ? readFileSync(ledgerFile(place), "utf8") : "";
  write(ledgerFile(place), `${before}${JSON.stringify(entry)}\n`);
  write(path.join(place.folder, "session-memory", "summary.md"), `# Session Title\n\n${name}\n`);
  write(path.join(memoryIn(root), "MEMORY.md"), `- [It](it.md) — ${name}\n`);
  write(
    path.join(memoryIn(root), "it.md"),
    `---\nname: It\ndescription: ${name}\ntype: project\n---\n\n${name}\n`,
  );
  write(path.join(home.data, "install-receipt.json"), `{"of": "${name}"}`);
  write(path.join(home.config, "config.json"), `{"of": "${name}"}`);
}

export const backUp = (root: string, target = path.join(root, SET)): ReturnType<typeof makeSet> =>
  makeSet({ home: homeIn(root), target, now: NOW, memoryOf: memoryOf(root) });

export const restore = (
  root: string,
  { from = path.join(root, SET), withConfig = false } = {},
): ReturnType<typeof restoreSet> =>
  restoreSet({ home: homeIn(root), from, now: NOW, memoryOf: memoryOf(root), withConfig });

function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, sha256(readFileSync(path.join(folder, name)))]),
  );
}

/** Everything that a backup covers, after an interrupted restore was finished as the next process does it. */
export async function looksOf(root: string): Promise<unknown> {
  const home = homeIn(root);
  await finishRestore(home);
  const store = await openStore({ file: databaseFile(home), mustExist: true });
  try {
    const events = (await store.events({ limit: 100 })).items.map(({ id }) => id).sort();
    const parts = ["vault", "projects"].map((part) => filesIn(path.join(home.data, part)));
    return { events, parts, memory: filesIn(memoryIn(root)) };
  } finally {
    await store.close();
  }
}

export const copyHome = (from: string, to: string): void => cpSync(from, to, { recursive: true });
