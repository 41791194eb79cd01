// Facts as they lie on a disk.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databaseFile, type Home, hookLog, spoolFolder, workerStateFile } from "../home/index.ts";
import { collectFacts, pluginIsOn } from "./collect.ts";
import type { Facts } from "./facts.ts";
import type { ClaudePlaces } from "./places.ts";

let folder: string;
let home: Home;
let claude: ClaudePlaces;
const now = Date.parse("2026-05-05T12:00:00.000Z");

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-facts-"));
  home = { config: path.join(folder, "c"), data: path.join(folder, "d"), state: path.join(folder, "s") };
  claude = {
    configFolder: path.join(folder, ".claude"),
    projectFolder: path.join(folder, "work"),
    managedFile: path.join(folder, "managed.json"),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: unknown, mode = 0o600): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode });
}

function collect(): Promise<Facts> {
  return collectFacts({
    version: "1.0.0",
    home,
    claude,
    wantedPort: 37_777,
    now,
    askWorker: async () => "absent",
    checkDatabase: async () => "damaged",
  });
}

describe("collectFacts", () => {
  it("makes nothing where nothing is", async () => {
    const facts = await collect();
    expect(facts).toMatchObject({
      receipt: "none",
      runtime: "none",
      paused: false,
      socketLeft: false,
      spool: { writable: true, waiting: 0, oldestMinutes: 0, bad: 0 },
      database: { file: databaseFile(home), bytes: 0 },
      open: [],
      troubles: { count: 0 },
    });
    expect(facts.database).not.toHaveProperty("problem");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("sees what waits, since when, and what was put aside", async () => {
    for (const name of ["1.json", "2.json", ".3.tmp", "bad/4.json"])
      write(path.join(spoolFolder(home), name), "{}");
    const since = new Date(now - 10 * 60_000);
    utimesSync(path.join(spoolFolder(home), "1.json"), since, since);
    expect((await collect()).spool).toEqual({ writable: true, waiting: 2, oldestMinutes: 10, bad: 1 });
  });

  it("reads the last day of the hook log, and takes what is reported of snapshots for no complaint", async () => {
    const lines = [
      "2026-05-01T00:00:00.000Z 1 capture: old",
      "2026-05-05T11:00:00.000Z 1 capture: new",
      "2026-05-05T11:00:01.000Z 1 answer: INFO: Time difference: 0.5 hours",
      "2026-05-05T11:00:01.000Z 1 answer: SNAPSHOT_ACTION=LOAD",
      "2026-05-05T11:00:01.000Z 1 answer: ✅ This session was compacted: its own snapshot is to be loaded",
      "2026-05-05T11:00:01.000Z 1 answer: ⚠️ 检测到新对话（时间差 > 2小时），开始清理快照",
      "torn",
    ];
    write(hookLog(home), `${lines.join("\n")}\n`);
    expect((await collect()).troubles).toEqual({ count: 1, last: lines[1] });
  });

  it("asks after the database only when there is one, and counts what is not folded in", async () => {
    write(databaseFile(home), "1234");
    write(`${databaseFile(home)}-wal`, "56");
    expect((await collect()).database).toEqual({ file: databaseFile(home), bytes: 6, problem: "damaged" });
  });

  it.skipIf(process.platform === "win32")("names what others can read", async () => {
    write(databaseFile(home), "", 0o644);
    expect((await collect()).open).toEqual([databaseFile(home)]);
  });

  it("finds plugin, switches and administrators, and forgives files that make no sense", async () => {
    write(path.join(claude.configFolder, "settings.json"), {
      enabledPlugins: { "throughline@throughline": true },
    });
    write(path.join(claude.projectFolder, ".claude", "settings.json"), "{");
    write(path.join(claude.projectFolder, ".claude", "settings.local.json"), { disableAllHooks: true });
    const installPath = path.join(folder, "cache");
    write(path.join(claude.configFolder, "plugins", "installed_plugins.json"), {
      plugins: { "throughline@throughline": [{ installPath, version: "0.9.0" }] },
    });
    write(path.join(folder, "managed.json"), { allowManagedHooksOnly: true });
    write(workerStateFile(home), "not JSON");
    const facts = await collect();
    expect(facts.plugin).toEqual({ version: "0.9.0", folder: installPath, complete: false });
    expect(facts.barredBy).toBe(claude.managedFile);
    expect(facts.settings).toMatchObject([
      { scope: "user", plugin: true },
      { scope: "project", problem: { line: 1 } },
      { scope: "local", disablesHooks: true },
    ]);
    expect(pluginIsOn(claude, home)).toBe(true);
  });
});
