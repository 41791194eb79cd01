// Failures of a store's events: grouped by signature, fixed only where a run passed after something was changed.
import { beforeEach, describe, expect, it } from "vitest";
import { keptHere } from "../../test/worker/kept.ts";
import type { RedactedEvent } from "../store/index.ts";
import { findErrors } from "./request.ts";

const kept = keptHere();
let events: RedactedEvent[];

beforeEach(() => {
  events = [];
});

function add(session: string, kind: string, payload: RedactedEvent["payload"]): void {
  const minute = String(events.length).padStart(2, "0");
  events.push({
    ...{ v: 1, kind, session, payload, lane: "hooks", writer: "test", project: "ferry-00000001" },
    id: `e${events.length}`,
    at: `2026-11-16T09:${minute}:00.000Z`,
    cwd: "/work/ferry",
  });
}

const prompt = (session: string, text: string) => add(session, "prompt", { prompt: text });
const passes = (session: string, command: string, stdout = "ok") =>
  add(session, "tool", { tool_name: "Bash", tool_input: { command }, tool_response: { stdout, stderr: "" } });
const fails = (session: string, command: string, output: string) =>
  add(session, "tool-failure", {
    ...{ tool_name: "Bash", tool_input: { command }, error: `Exit code 1\n${output}` },
  });
const edits = (session: string, file: string) =>
  add(session, "tool", {
    tool_name: "Edit",
    tool_input: { file_path: `/work/ferry/${file}`, old_string: "late", new_string: "lateBoats" },
    tool_response: { filePath: `/work/ferry/${file}` },
  });

async function book(request: object = {}) {
  await kept.store.recordEvents(events);
  return findErrors(kept.store, request);
}

const redTest = (got: number) =>
  ` FAIL  src/board.test.ts > shows late boats\nAssertionError: expected ${got} to be 3\n\n Tests  1 failed (1)`;

describe("a failure", () => {
  it("is one entry however often it runs, and is fixed by what was changed before a run passed", async () => {
    prompt("s1", "show late boats");
    fails("s1", "npm test", redTest(1));
    fails("s1", "npm test", redTest(2));
    edits("s1", "src/board.ts");
    passes("s1", "npm test", "Tests  1 passed (1)");
    passes("s1", `git commit -am "Show late boats on the board"`, "[main 1234567] Show late boats");
    const { items, total } = await book();
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      ...{ class: "test", subject: "src/board.test.ts > shows late boats", seen: 1, runs: 2 },
      ...{ state: "fixed", fixed: 1, row: "e1", firstAt: "2026-11-16T09:01:00.000Z" },
      fix: { files: ["src/board.ts"], commit: "Show late boats on the board", row: "e4", promptNumber: 1 },
    });
  });

  it("that comes back is seen again, in another session too, and keeps the newest fix", async () => {
    fails("s1", "npm test", redTest(1));
    edits("s1", "src/board.ts");
    passes("s1", "npm test");
    fails("s2", "npm test", redTest(7));
    edits("s2", "src/boats.ts");
    passes("s2", "npm test");
    fails("s3", "npm test", redTest(9));
    expect((await book()).items).toMatchObject([
      { seen: 3, fixed: 2, state: "open", sessions: ["s1", "s2", "s3"], fix: { files: ["src/boats.ts"] } },
    ]);
  });

  it("that passes again with nothing changed was not fixed", async () => {
    fails("s1", "npm test", redTest(1));
    passes("s1", "npm test");
    const [entry] = (await book()).items;
    expect([entry?.state, entry?.fixed, entry?.fix]).toEqual(["passed", 0, undefined]);
  });

  it("is not ended by a run of another file, nor by another kind of check", async () => {
    fails("s1", "npx vitest run src/board.test.ts", redTest(1));
    edits("s1", "src/board.ts");
    passes("s1", "npx vitest run src/other.test.ts");
    passes("s1", "npx tsc --noEmit");
    expect((await book()).items).toMatchObject([{ state: "open" }]);
  });

  it("of a missing package is fixed by the command that installed it", async () => {
    fails("s1", "node tools/tide.mjs", "Error: Cannot find package 'tides' imported from /work/ferry/tools");
    passes("s1", "npm install tides");
    passes("s1", "node tools/tide.mjs");
    expect((await book()).items).toMatchObject([
      { class: "dependency", state: "fixed", fix: { files: [], commands: ["npm install tides"] } },
    ]);
  });

  it("has the class of its cause", async () => {
    fails(
      "s1",
      "npx tsc --noEmit",
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to 'number'.",
    );
    fails("s1", "frobnicate --all", "bash: frobnicate: command not found");
    fails("s1", "cat /root/x && ./deploy.sh", "./deploy.sh: Permission denied");
    fails("s1", "curl -sf http://127.0.0.1:1/ && ./go", "curl: (7) Connection refused");
    fails("s1", "git merge topic", "CONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed");
    fails("s1", "node run.mjs", "TypeError: boats is not iterable");
    const classes = (await book()).items.map((entry) => entry.class).sort();
    expect(classes).toEqual([
      ...["command-not-found", "exception", "merge-conflict", "network", "permission", "types"],
    ]);
  });

  it("is not what only looked and found nothing, nor what the user refused", async () => {
    fails("s1", "grep -rn lateBoats src", "");
    add("s1", "tool-failure", {
      ...{ tool_name: "Bash", tool_input: { command: "npm test" } },
      error: "The user doesn't want to proceed with this tool use.",
    });
    expect(await book()).toEqual({ items: [], total: 0, more: false });
  });
});

describe("the book", () => {
  it("is filtered by words, class, state, file and time, and read in pages", async () => {
    fails("s1", "npm test", redTest(1));
    edits("s1", "src/board.ts");
    passes("s1", "npm test");
    fails("s1", "node run.mjs", "TypeError: boats is not iterable");
    const signatures = async (request: object) => (await book(request)).items.map((entry) => entry.class);
    expect(await signatures({ query: "late boats board" })).toEqual(["test"]);
    expect(await signatures({ class: "exception" })).toEqual(["exception"]);
    expect(await signatures({ state: "open" })).toEqual(["exception"]);
    expect(await signatures({ file: "board.ts" })).toEqual(["test"]);
    expect(await signatures({ from: "2026-11-16T09:03:00Z" })).toEqual(["exception"]);
    expect(await signatures({ project: "other" })).toEqual([]);
    expect(await book({ limit: 1 })).toMatchObject({ total: 2, more: true });
    expect(await book({ limit: 1, offset: 1 })).toMatchObject({ more: false });
  });

  it("refuses what it does not know", async () => {
    await expect(book({ class: "cosmic" })).rejects.toMatchObject({ code: "usage" });
    await expect(book({ from: "some day" })).rejects.toMatchObject({ code: "usage" });
  });

  it("names the observations of the turn that fixed it", async () => {
    prompt("s1", "show late boats");
    fails("s1", "npm test", redTest(1));
    edits("s1", "src/board.ts");
    passes("s1", "npm test");
    await kept.store.addObservations([
      {
        ...{ session: "s1", project: "ferry-00000001", promptNumber: 1, at: "2026-11-16T09:05:00.000Z" },
        ...{ type: "bugfix", title: "The board shows late boats" },
      },
    ]);
    expect((await book()).items).toMatchObject([{ refs: ["#1"] }]);
  });
});
