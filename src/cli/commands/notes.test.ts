// `throughline notes` as a user types it.
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { ClaudeRows, smallSession } from "../../../test/fixtures/transcript/session.ts";

const terminal = commandLine();
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("throughline notes", () => {
  it("writes the notes of a transcript when asked to, and shows them by the session's id from then on", () => {
    const file = terminal.write("session.jsonl", jsonl(smallSession().rows));
    const first = terminal.run(["notes", file, "--update"]);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: "" });
    expect(first.out).toMatch(/^# Session Title\n_.+_\n\nmake the login work\n\n# Current State\n/);
    expect(first.out).toContain("- Asked and answered: now the logout");
    expect(terminal.run(["notes", file]).out).toBe(first.out);
    expect(terminal.run(["notes", "session-1"]).out).toBe(first.out);
    expect(terminal.run(["notes", "sess"]).out).toBe(first.out);
  });

  it("tells a program how far they reach", () => {
    const rows = smallSession();
    const file = terminal.write("session.jsonl", jsonl(rows.rows));
    const data = terminal.json("notes", file, "--update") as { file: string; sections: object };
    expect(data).toMatchObject({
      session: "session-1",
      by: "activity",
      last_summarized_id: rows.last,
      size: { toolCalls: 2, compactions: 1 },
      problem: null,
    });
    expect(Object.keys(data.sections)).toHaveLength(10);
    expect(data.file).toMatch(/session-1[\\/]session-memory[\\/]summary\.md$/);
    expect(statSync(data.file).isFile()).toBe(true);
  });

  it("goes on from the notes there are", () => {
    const rows = smallSession();
    terminal.run(["notes", terminal.write("session.jsonl", jsonl(rows.rows)), "--update"]);
    rows.user("and now the tests");
    const file = terminal.write("session.jsonl", jsonl(rows.rows));
    const { out } = terminal.run(["notes", file, "--update"]);
    expect(out).toContain("- Asked: and now the tests");
    expect(out).toContain("- Asked: make the login work");
  });

  it.each([
    ["a session without notes", ["notes", "FILE"], "there are no notes of session-1 yet", "--update"],
    ["an id that nobody has", ["notes", "nobody"], "no session nobody", "check the id"],
    ["a file that is not there", ["notes", "gone.jsonl"], "gone.jsonl does not exist", "check the path"],
    ["no session at all", ["notes"], "", ""],
  ])("explains %s", (_what, args, problem, fix) => {
    const file = terminal.write("session.jsonl", jsonl(smallSession().rows));
    const { code, out, err } = terminal.run(args.map((word) => (word === "FILE" ? file : word)));
    expect(code).toBe(args.length > 1 ? 1 : 2);
    expect(out).toBe("");
    expect(err).toContain(problem);
    expect(err).toContain(fix);
  });

  it("notes nothing of a folder that is excluded", () => {
    const rows = new ClaudeRows();
    rows.user("hello");
    const file = terminal.write("session.jsonl", jsonl(rows.rows));
    const exclude = { THROUGHLINE_CAPTURE_EXCLUDE: '["/home/dev/app"]' };
    const { code, err } = terminal.run(["notes", file, "--update"], exclude);
    expect(code).toBe(1);
    expect(err).toContain("has nothing for notes");
  });
});
