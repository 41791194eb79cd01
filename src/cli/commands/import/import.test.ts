// `throughline import` as a person types it: what it finds, what it says, and what it says when there is nothing.
import { appendFileSync, chmodSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../../test/commandLine.ts";
import { writeClaudeMem } from "../../../../test/fixtures/import/claudeMem.ts";
import { writeSessions } from "../../../../test/fixtures/import/sessions.ts";

const terminal = commandLine();
const env = (): Record<string, string> => ({ HOME: terminal.folder, THROUGHLINE_WORKER_PORT: "0" });
const run = (...args: string[]) => terminal.run(args, env());
const json = (...args: string[]) => JSON.parse(run(...args, "--json").out);

afterEach(() => {
  if (existsSync(path.join(terminal.home.state, "worker.json"))) run("worker", "stop");
});

const projects = (): string => path.join(terminal.folder, ".claude", "projects");

describe("throughline import", () => {
  it("finds transcripts and claude-mem by itself, tells what came of them, and what to do next", async () => {
    writeSessions(projects(), { sessions: 2, turns: 3 });
    mkdirSync(path.join(terminal.folder, ".claude-mem"));
    const file = path.join(terminal.folder, ".claude-mem", "claude-mem.db");
    const database = await writeClaudeMem(file, "today");
    const first = run("import");
    database.close();
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(/^Imported 3 sessions from Jan \d, 2026 to Jan \d, 2026\./);
    expect(first.out).toMatch(/prompts +7\n +tool calls +29\n/);
    expect(first.out).toContain("claude-mem.db): 3 observations, 1 summary, 4 prompts of 3 sessions");
    expect(first.out).toMatch(/Took \d+ s; the database is [\d.]+ (k|M)B now\./);
    expect(first.out).toContain("throughline open");
    const words = /throughline search "(.*)" {2}/.exec(first.out)?.[1] ?? "";
    expect(run("search", words).out).toContain(words.split(" ")[0]);
    const again = run("import");
    expect(again.out).toContain("Nothing new. Already imported: 3 sessions.");
    expect(again.out).toContain("claude-mem.db): nothing new");
    expect(run("import", file).out).toContain("Nothing new.");
  });

  it("looks where Claude Code was moved to, and where it was before", () => {
    writeSessions(projects(), { sessions: 1, turns: 1 });
    const moved = path.join(terminal.folder, "moved");
    writeSessions(path.join(moved, "projects"), { sessions: 2, turns: 1 });
    const { out } = terminal.run(["import", "--dry-run", "--json"], { ...env(), CLAUDE_CONFIG_DIR: moved });
    expect(JSON.parse(out).done).toHaveLength(4);
  });

  it("shows what it would store, hides nothing of that, and stores nothing", () => {
    writeSessions(projects(), { sessions: 2, turns: 3 });
    const { code, out } = run("import", "--dry-run");
    expect(code).toBe(0);
    expect(out).toMatch(/^Nothing was stored\. 3 new sessions from Jan \d, 2026 to Jan \d, 2026:\n/);
    expect(out).toMatch(/project +sessions +prompts +tool calls +messages +size\n/);
    expect(out).toMatch(/äpp-[0-9a-f]{8} +3 +7 +29 +\d+ +\d+ kB\n/);
    expect(out).toMatch(/to be redacted: \d+ secrets/);
    expect(terminal.hasWritten()).toBe(false);
    // What it says is what then comes in.
    const would = json("import", "--dry-run").done;
    const { imported } = json("import");
    const counts = (list: { session: string; events: object; messages: number }[]) =>
      list.map(({ session, events, messages }) => ({ session, events, messages }));
    expect(counts(imported)).toEqual(counts(would));
    expect(run("import", "--dry-run").out).toContain(
      "There is no new session.\nalready imported: 3 sessions",
    );
  });

  it("says where it looked when there is nothing, and does not make a home for it", () => {
    const { code, out } = run("import");
    expect(code).toBe(0);
    const others = [".codex/sessions", ".pi/agent/sessions", ".claude-mem/claude-mem.db"].map(
      (name) => `${terminal.folder}/${name}`,
    );
    const places = [projects(), ...others].map((place) => `  ${place}\n`).join("");
    expect(out).toBe(`There is nothing to import. Looked in:\n${places}`);
    expect(terminal.hasWritten()).toBe(false);
  });

  it("refuses a place that is not there, that is empty, or that is meant for another door", () => {
    const missing = run("import", "none");
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain(`${path.join(terminal.folder, "none")} does not exist\nfix: name a folder`);
    mkdirSync(path.join(terminal.folder, "empty"));
    expect(run("import", "empty").err).toContain("nothing to import in");
    terminal.write("everything.jsonl", '{"throughline":"export","version":1}\n');
    const other = run("import", "everything.jsonl");
    expect(other).toMatchObject({ code: 1 });
    expect(other.err).toContain("fix: throughline data import FILE");
    terminal.write("notes.jsonl", "no row\n");
    const notes = path.join(terminal.folder, "notes.jsonl");
    expect(run("import", "notes.jsonl").err).toContain(
      `nothing to import in ${notes} (no line of it is a row of JSON)\nfix: name a folder`,
    );
    const [transcript = ""] = writeSessions(projects(), { sessions: 1, turns: 1 });
    expect(run("data", "import", transcript).err).toContain("come in by `throughline import`");
  });

  it("imports what it can of damaged files, and names the rest", () => {
    const [broken = "", , unreadable = ""] = writeSessions(projects(), { sessions: 2, turns: 2 });
    appendFileSync(broken, '{"half\n\u0000\n{"type":"user","mess');
    terminal.write(".claude/projects/p/noise.jsonl", "no row\nat all\n");
    if (process.getuid?.() !== 0) chmodSync(unreadable, 0);
    const { code, out, err } = run("import", "--quiet");
    expect({ code, err }).toEqual({ code: 4, err: "" });
    expect(out).toContain("unreadable: 3 lines");
    expect(out).toContain(`${path.basename(broken)}: Line`);
    expect(out).toContain("skipped: 1 file that cannot be read");
    expect(out).toContain("noise.jsonl: no line of it is a row of JSON");
    expect(json("data", "stats").counts.prompts).toBeGreaterThanOrEqual(4);
  });
});
