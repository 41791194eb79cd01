// `throughline archive` as a user types it.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { smallSession } from "../../../test/fixtures/transcript/session.ts";
import { readProjectText, trustContent } from "../../config/index.ts";
import { sha256 } from "../../lib/index.ts";

const terminal = commandLine();

const transcript = (name: string, more: object = {}): string => {
  const rows = smallSession().rows.map((row) => ({ ...row, ...more }));
  return terminal.write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
};

interface Archived {
  readonly archived: readonly { outcome: string; file: string; session: string }[];
}

describe("throughline archive", () => {
  it("archives a transcript, and the second time says that nothing is new", () => {
    transcript("session.jsonl");
    const { code, out } = terminal.run(["archive", "session.jsonl"]);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^created .*\.md +10 parts\n$/),
    });
    expect(terminal.run(["archive", "session.jsonl"]).out).toMatch(/^unchanged/);
  });

  it("puts it into the group, folder and form that it is told", () => {
    transcript("session.jsonl");
    const args = ["session.jsonl", "--group", "work", "--dir", "mine", "--format", "json"];
    const { archived } = terminal.json("archive", ...args) as Archived;
    const file = archived[0]?.file ?? "";
    expect(path.relative(terminal.folder, path.dirname(file))).toBe("mine/groups/work/conversations");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ group: "work", session: "session-1" });
    expect(terminal.json("forget", "--session", "session-1", "--yes")).toMatchObject({
      found: { archives: [file] },
      left: { archives: [] },
    });
    expect(existsSync(file)).toBe(false);
  });

  it("archives every session of Claude Code, lists them and shows one", () => {
    const id = "11111111-2222-4333-8444-555555555555";
    transcript(`.claude/projects/-home-dev-app/${id}.jsonl`, { sessionId: id });
    transcript(".claude/projects/-home-dev-other/two.jsonl", { sessionId: "two" });
    const env = {
      CLAUDE_CONFIG_DIR: path.join(terminal.folder, ".claude"),
      THROUGHLINE_ARCHIVE_GROUP: "all",
    };
    expect(terminal.run(["archive", "--all"], env).out).toContain(
      "2 sessions: 2 new, 0 grown, 0 unchanged, 0 empty",
    );
    expect(terminal.run(["archive", "list", "--group", "all"]).out).toMatch(/11111111 .*make the login work/);
    expect(terminal.run(["archive", "show", "1111"]).out).toContain("**User**: make the login work\n");
    const shown = terminal.json("archive", "show", "two") as { content: { parts: unknown[] } };
    expect(shown.content.parts[0]).toEqual({ label: "User", text: "make the login work" });
  });

  it("lists conversations by their own date, and finds them by words", () => {
    transcript("session.jsonl");
    terminal.run(["archive", "session.jsonl", "--content", "conversation"]);
    expect(terminal.run(["archive", "list"]).out).toMatch(/^2026-03-01 .*make the login work/);
    const { code, out } = terminal.run(["archive", "search", "now", "LOGOUT"]);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("    User: now the logout"),
    });
    const { hits } = terminal.json("archive", "search", "logout") as { hits: { snippets: unknown[] }[] };
    expect(hits[0]?.snippets[0]).toEqual({ label: "User", text: "now the logout" });
    expect(terminal.run(["archive", "search", "nowhere"]).out).toBe("Nothing was found.\n");
    expect(terminal.run(["archive", "search"]).code).toBe(2);
    expect(terminal.run(["archive", "list", "one", "two"]).err).toContain("unexpected argument one");
  });

  it("takes a session's group from its own project, and lets no project say where files go", () => {
    const own = path.join(terminal.folder, "own");
    transcript("own/session.jsonl", { cwd: own });
    terminal.write("own/.throughline/config.json", '{"archive": {"group": "ours", "dir": "elsewhere"}}');
    const file = path.join(own, ".throughline", "config.json");
    trustContent(terminal.home, file, readProjectText(terminal.home, file).digest);
    terminal.write(".throughline/config.json", '{"archive": {"group": "of the shell", "dir": "elsewhere"}}');
    const { archived } = terminal.json("archive", "own/session.jsonl") as Archived;
    expect(archived[0]?.file).toContain(path.join(terminal.homeFolder, "data", "groups", "ours"));
    expect(terminal.run(["archive", "show", "session-1"]).code).toBe(0);
  });

  it("leaves excluded folders alone", () => {
    transcript("session.jsonl");
    const env = { THROUGHLINE_CAPTURE_EXCLUDE: '["/home/dev"]' };
    expect(terminal.run(["archive", "session.jsonl"], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("nothing is kept of work in /home/dev"),
    });
  });

  it("leaves out what happened in a pause and what was forgotten, like the worker", () => {
    const file = transcript("session.jsonl");
    terminal.write("home/state/pauses.json", JSON.stringify([{ from: 0, to: Date.now() }]));
    expect(terminal.run(["archive", "session.jsonl"]).out).toMatch(/^empty/);
    terminal.write("home/state/pauses.json", "[]");
    const forgotten = { offset: statSync(file).size, seenAt: Date.now(), forgotten: statSync(file).size };
    const key = sha256(file).slice(0, 32);
    terminal.write("home/state/transcripts.json", JSON.stringify({ [key]: forgotten }));
    expect(terminal.run(["archive", "session.jsonl", "--group", "another"]).out).toMatch(/^empty/);
  });

  it("shows what a quota would do before it does it", () => {
    transcript("session.jsonl");
    terminal.run(["archive", "session.jsonl"]);
    const env = { THROUGHLINE_ARCHIVE_MAX_BYTES: "100" };
    expect(terminal.run(["archive", "list"], env).out).toContain("more than archive.maxBytes");
    const plan = terminal.run(["archive", "tidy", "--remove"], env);
    expect(plan.out).toMatch(/remove .*\nNothing was changed yet; --yes applies it\./);
    expect(terminal.run(["archive", "tidy", "--yes"], env).out).toContain("compressed 1, removed 0");
    expect(terminal.run(["archive", "list"]).out).toContain("(compressed)");
    expect(terminal.run(["archive", "tidy", "--remove", "--yes"], env).out).toContain("removed 1");
    expect(terminal.run(["archive", "list"]).out).toMatch(/^there are no archives/);
  });

  it("says what is wrong", () => {
    for (const args of [[], ["show"], ["list", "what"]])
      expect(terminal.run(["archive", ...args]).code).toBe(2);
    for (const args of [["show", "nobody"], ["no.jsonl"]]) {
      const { code, err } = terminal.run(["archive", ...args]);
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/fix: /) });
    }
  });
});
