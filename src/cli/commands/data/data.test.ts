// `throughline data` as a user types it.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../../test/commandLine.ts";
import { databaseFile } from "../../../home/index.ts";
import { openStore, type RedactedEvent } from "../../../store/index.ts";
import { releaseClosed } from "../../../store/sqlite/driver.ts";

const terminal = commandLine();

const event = (id: string, more: Partial<RedactedEvent> = {}): RedactedEvent => ({
  v: 1,
  id: `ev_${id}`,
  kind: "prompt",
  at: "2026-11-16T09:00:00.000Z",
  session: "s1",
  lane: "hooks",
  writer: "0.1.0",
  payload: { prompt: `words ${id}` },
  project: "app-00000001",
  ...more,
});

async function keep(...events: RedactedEvent[]): Promise<void> {
  const store = await openStore({ file: databaseFile(terminal.home) });
  await store.recordEvents(events);
  await store.close();
  await releaseClosed();
}

const counted = (): unknown => (terminal.json("data", "check") as { counts: unknown }).counts;

describe("throughline data", () => {
  it("backs everything up and puts it back, or the database alone", async () => {
    await keep(event("a"));
    const { folder } = terminal.json("data", "backup") as { folder: string };
    expect(path.dirname(folder)).toBe(path.join(terminal.home.data, "backups"));
    await keep(event("b"));
    expect(terminal.run(["data", "backup", "mine.db"]).code).toBe(0);
    const { out } = terminal.run(["data", "restore", folder]);
    expect(out).toContain("with 1 events");
    expect(out).toContain("throughline data restore --undo");
    expect(counted()).toMatchObject({ events: 1 });
    expect(terminal.run(["data", "restore", "--undo"]).code).toBe(0);
    expect(counted()).toMatchObject({ events: 2 });
    terminal.run(["data", "restore", folder]);
    terminal.run(["data", "restore", "mine.db"]);
    expect(counted()).toMatchObject({ events: 2 });
  });

  it("does not restore while the database is open", async () => {
    await keep(event("a"));
    terminal.run(["data", "backup", "mine.db"]);
    const store = await openStore({ file: databaseFile(terminal.home) });
    try {
      const { code, err } = terminal.run(["data", "restore", "mine.db"]);
      expect(code).toBe(1);
      expect(err).toContain("throughline worker stop");
    } finally {
      await store.close();
    }
  });

  it("exports into a private file and imports it once, scanned for secrets", async () => {
    await keep(event("a"), event("b", { session: "s2", project: "other-00000002" }));
    expect(terminal.run(["data", "export", "all.jsonl"]).out).toMatch(/all\.jsonl: 6 rows/);
    const file = path.join(terminal.folder, "all.jsonl");
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(terminal.json("data", "export", "one.jsonl", "--project", "other")).toMatchObject({ rows: 3 });
    const token = `ghp_${"Ab3dE6gH9j".repeat(4).slice(0, 36)}`;
    const changed = readFileSync(file, "utf8").replaceAll("words a", `words ${token}`);
    terminal.write("changed.jsonl", changed);
    const elsewhere = { THROUGHLINE_HOME: path.join(terminal.folder, "elsewhere") };
    const { code, out } = terminal.run(["data", "import", "changed.jsonl"], elsewhere);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("added: 2 sessions, 2 events, 2 prompts"),
    });
    const kept = readFileSync(path.join(terminal.folder, "elsewhere", "data", "throughline.db"));
    expect(kept.includes(token)).toBe(false);
    expect(kept.includes("[redacted: ")).toBe(true);
    const again = terminal.run(["data", "import", "changed.jsonl"], elsewhere);
    expect(again.out).toContain("added: nothing");
  });

  it("says so when a file is cut off or has lines it cannot use", async () => {
    await keep(event("a"));
    terminal.run(["data", "export", "all.jsonl"]);
    const lines = readFileSync(path.join(terminal.folder, "all.jsonl"), "utf8").split("\n");
    terminal.write("cut.jsonl", [...lines.slice(0, 2), "{"].join("\n"));
    const { code, out } = terminal.run(["data", "import", "cut.jsonl"]);
    expect(code).toBe(4);
    expect(out).toContain("rejected: 1 lines");
    expect(out).toContain("cut off");
  });

  it("shows what the rules would let go of, and lets go when told to", async () => {
    await keep(event("old", { at: "2020-01-01T00:00:00Z" }), event("new", { at: new Date().toISOString() }));
    expect(terminal.run(["data", "retention"]).out).toBe("No rule deletes anything.\n");
    const shown = terminal.run(["data", "retention"], { THROUGHLINE_STORE_RETENTION_DAYS: "30" });
    expect(shown.out).toMatch(/everything before [\s\S]*1 event, 1 prompt[\s\S]*--yes/);
    expect(counted()).toMatchObject({ events: 2 });
    expect(terminal.json("data", "retention", "--raw-retention-days", "30", "--yes")).toMatchObject({
      applied: true,
    });
    expect(counted()).toMatchObject({ events: 1, prompts: 2 });
  });

  it("checks and shrinks the database", async () => {
    await keep(event("a"));
    expect(terminal.run(["data", "check"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^database {2}ok {2}3 rows\n[\s\S]*no problems; 1 session, 1 event, 1 prompt\n$/,
      ),
    });
    expect(terminal.run(["data", "vacuum"]).out).toMatch(/before, .* now/);
  });

  it.each([
    [["data", "backup"], 1, "there is no database yet"],
    [["data", "export", "x.jsonl"], 1, "there is no database yet"],
    [["data", "restore", "absent.db"], 1, "absent.db does not exist"],
    [["data", "import", "absent.jsonl"], 1, "absent.jsonl is not a file"],
    [["data", "retention", "--max-bytes", "lots"], 2, "must be a whole number"],
    [["data"], 2, "needs a command"],
  ])("refuses %j with exit code %i and the reason, and makes no database", (args, code, reason) => {
    const outcome = terminal.run(args);
    expect(outcome.code).toBe(code);
    expect(outcome.err).toContain(reason);
    if (reason === "there is no database yet") expect(outcome.err).toMatch(/\nfix: .*throughline import/);
    expect(existsSync(databaseFile(terminal.home))).toBe(false);
  });
});
