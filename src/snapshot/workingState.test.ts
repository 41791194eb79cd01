// What a snapshot says of the work: the rows behind each statement, the files, and the method's tasks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HistoryItem, Message } from "../messages/index.ts";
import { readSnapshotText } from "./digest.ts";
import { evidenceLine, readEvidence } from "./evidence.ts";
import type { ProjectState } from "./projectState.ts";
import { renderSnapshot } from "./render.ts";
import { workingState } from "./workingState.ts";

let project = "";
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "throughline-state-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

let count = 0;
const item = (id: string, role: Message["role"], content: Message["content"]): HistoryItem => ({
  id,
  message: { role, content },
});
const call = (name: string, input: object, result = "ok"): HistoryItem[] => {
  const id = `toolu_${count++}`;
  return [
    item(`${id}-use`, "assistant", [{ type: "tool_use", id, name, input }]),
    item(`${id}-result`, "user", [{ type: "tool_result", tool_use_id: id, content: result }]),
  ];
};

const method = (next: readonly string[]): ProjectState => ({ method: "BMad 6", next, files: [], notes: [] });
const stateOf = (history: readonly HistoryItem[], more: Partial<Parameters<typeof workingState>[0]> = {}) =>
  workingState({ project, history, git: undefined, method: undefined, ...more });

const proposal = `${"A long introduction. ".repeat(30)}
1. Keep the rows in memory
2. Write the rows to SQLite

Which one?`;
const session = [
  item("r1", "user", "please make the store of the parser survive a restart of the process"),
  item("r2", "assistant", proposal),
  item("r3", "user", "2"),
];

describe("the rows of a statement", () => {
  it("are kept with what they say", () => {
    const { evidence } = stateOf(session);
    const decision = evidence.find(({ kind }) => kind === "decision");
    expect(decision?.text).toContain("Write the rows to SQLite");
    expect(decision?.rows.map(({ id }) => id)).toEqual(["r3", "r2"]);
    expect(decision?.rows[0]?.excerpt).toBe("2");
    expect(decision?.rows[1]?.excerpt).toMatch(/^… .*Write the rows to SQLite/);
    expect(evidence.find(({ kind }) => kind === "core")?.rows[0]).toEqual({
      id: "r1",
      excerpt: "please make the store of the parser survive a restart of the process",
    });
  });

  it("come back from the file, and no word in it can end their line", () => {
    const state = stateOf([...session, item("r4", "user", "--> <!-- and `--x` <b> too, please")]);
    const text = renderSnapshot({
      session: "s",
      at: 0,
      hours: 2,
      language: "en",
      state,
      said: [{ by: "User", text: `${evidenceLine([], String)}\n<!-- THROUGHLINE_SNAPSHOT_ROWS [] -->` }],
      handles: [],
      redact: (one) => one.replaceAll("SQLite", "[redacted]"),
    });
    expect(text.split("\n").filter((line) => line.endsWith("-->"))).toHaveLength(4);
    const found = readEvidence(text);
    expect(found.map(({ kind }) => kind)).toEqual(state.evidence.map(({ kind }) => kind));
    expect(found.flatMap(({ rows }) => rows).find(({ id }) => id === "r4")?.excerpt).toBe(
      "--> <!-- and `--x` <b> too, please",
    );
    expect(JSON.stringify(found)).not.toContain("SQLite");
    expect(readSnapshotText(text).state).not.toContain("THROUGHLINE");
  });

  it("are none in a snapshot of an older version, or in a line that is broken", () => {
    expect(readEvidence("# a snapshot\n")).toEqual([]);
    expect(readEvidence("<!-- THROUGHLINE_SNAPSHOT_ROWS [{ -->\n")).toEqual([]);
    expect(readEvidence('<!-- THROUGHLINE_SNAPSHOT_ROWS [{"kind":"core","text":1,"rows":[]}] -->')).toEqual(
      [],
    );
  });
});

describe("related files", () => {
  it("are all that the session touched, the digest has the first eight", () => {
    const names = Array.from({ length: 60 }, (_, at) => `f${at}.ts`);
    const state = stateOf([
      item("r1", "user", "read all of it please, every single file"),
      ...names.flatMap((name) => call("Read", { file_path: path.join(project, name) })),
    ]);
    expect(state.files).toHaveLength(60);
    expect(state.moreFiles).toBe(0);
    const content = { session: "s", at: 0, hours: 2, said: [], handles: [], redact: String } as const;
    const text = renderSnapshot({ ...content, language: "en", state });
    expect(readSnapshotText(text).state.match(/^- f\d+\.ts/gm)).toHaveLength(8);
  });

  it("leave out folders, and a page that git sees changed because our block is in it", () => {
    mkdirSync(path.join(project, "src"));
    const block = "---\n<!-- TEMP_COMPACT_SNAPSHOT_START -->\n# x\n<!-- TEMP_COMPACT_SNAPSHOT_END -->\n---\n";
    writeFileSync(path.join(project, "CLAUDE.md"), block);
    const changed = ["CLAUDE.md", "CLAUDE.local.md", "src", "gone.ts", "new/"].map((name) => ({
      path: name,
      status: "M",
    }));
    const { files } = stateOf(call("Read", { file_path: path.join(project, "src") }), {
      git: { branch: undefined, changed },
    });
    expect(files.map(({ path: name }) => name)).toEqual(["CLAUDE.local.md", "gone.ts"]);
  });

  it("has at most forty that only git knows", () => {
    const changed = Array.from({ length: 50 }, (_, at) => ({ path: `g${at}`, status: "M" }));
    const state = stateOf(call("Read", { file_path: path.join(project, "g49") }), {
      git: { branch: undefined, changed },
    });
    expect([state.files.length, state.moreFiles]).toEqual([41, 9]);
  });
});

describe("the function", () => {
  const command =
    "<command-message>review</command-message>\n<command-name>/review</command-name><command-args>PR 12</command-args>";
  const called = [item("r1", "user", command), item("r2", "assistant", "Reviewed. Shall I fix the typo?")];

  it("is the last command until the user asks for something else", () => {
    expect(stateOf(called).function).toBe("/review PR 12");
    expect(stateOf([...called, item("r3", "user", "yes please")]).function).toBe("/review PR 12");
    const other = item("r3", "user", "now rebase the next branch on main");
    expect(stateOf([...called, other]).function).toBeUndefined();
  });
});

describe("next actions of a method", () => {
  it("leave out what the session's own list has, done or open", () => {
    const todos = [
      { content: "Write the parser", status: "completed" },
      { content: "Test the parser", status: "in_progress" },
    ];
    const { next } = stateOf([item("r1", "user", "go"), ...call("TodoWrite", { todos })], {
      method: method([
        "Write the parser (AC: 1, 2)",
        "`test.ts` -- test the parser -- it fails",
        "Document it",
      ]),
    });
    expect(next.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["Test the parser (in progress)", "Document it"]),
    );
    expect(next.map(({ text }) => text).join()).not.toMatch(/AC: 1|test\.ts/);
  });
});
