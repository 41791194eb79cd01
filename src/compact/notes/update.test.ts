// Notes on disk brought up to date: with the real client of a model against a scripted API, and without one.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assistant, call, conversation, result, user } from "../../../test/fixtures/compact/conversation.ts";
import { modelFor } from "../../../test/fixtures/models/asking.ts";
import {
  anything,
  on,
  overloaded,
  type Reply,
  type ScriptedApi,
  say,
  startScriptedApi,
  tool,
  use,
} from "../../../test/scripted-api/index.ts";
import type { History } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { noModel } from "../../models/index.ts";
import { redactValue } from "../../redact/index.ts";
import {
  notesFile,
  parseNotes,
  readNotes,
  readNotesState,
  renderNotes,
  sizeOf,
  updateNotes,
} from "../index.ts";
import { overBudget } from "./budget.ts";
import { isEmptyTemplate } from "./template.ts";
import type { NotesUpdate } from "./update.ts";

let root = "";
let folder = "";
let api: ScriptedApi | undefined;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-notes-"));
  folder = path.join(root, "session-memory");
});
afterEach(async () => {
  await api?.close();
  api = undefined;
  rmSync(root, { recursive: true, force: true });
});

async function scripted(...replies: Reply[]): Promise<{ api: ScriptedApi; model: LanguageModel }> {
  api = await startScriptedApi({ scenario: [on(anything, ...replies)], strict: true });
  return { api, model: modelFor({ baseUrl: api.url }) };
}

const plain: NotesUpdate["redact"] = (value) => value;
const bring = (history: History, more: Partial<NotesUpdate> = {}) =>
  updateNotes({ folder, history, size: sizeOf(history, "new"), redact: plain, ...more });

const page = (state: string, more: Record<string, string> = {}): string =>
  renderNotes({ ...parseNotes(""), "Session Title": "Auth rewrite", "Current State": state, ...more });
const answer = (text: string): string => `Here it is.\n<notes>\n${text}\n</notes>`;
const textOf = (value: unknown): string => JSON.stringify(value);

describe("notes on disk", () => {
  it("are not there before the first update, nor while nothing is written in them", () => {
    expect(readNotes(folder)).toBeUndefined();
    expect(readNotesState(folder)).toBeUndefined();
  });

  it("are private, and say how far they reach", async () => {
    const history = conversation(3);
    const { text, state } = await bring(history);
    expect(readFileSync(notesFile(folder), "utf8")).toBe(text);
    expect(readNotes(folder)).toEqual({ text, lastSummarizedId: "end" });
    expect(readNotesState(folder)).toEqual(state);
    expect(state).toMatchObject({ by: "activity", size: sizeOf(history, "new") });
    if (process.platform === "win32") return;
    expect(statSync(notesFile(folder)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("are written while a call is open, but claim no more than before", async () => {
    const open = [user("u1", "go"), assistant("u2", [call("t1")])];
    expect((await bring(open)).state.lastSummarizedId).toBeUndefined();
    expect(readNotes(folder)?.text).toContain("- Asked: go");
    const closed = [...open, user("u3", [result("t1", "x")])];
    expect((await bring(closed)).state.lastSummarizedId).toBe("u3");
    const again = [...closed, assistant("u4", [call("t2")])];
    expect((await bring(again)).state.lastSummarizedId).toBe("u3");
    expect(readNotes(folder)?.lastSummarizedId).toBe("u3");
  });

  it("say from which byte the next update reads: behind an open call where this one began", async () => {
    const open = [user("u1", "go"), assistant("u2", [call("t1")])];
    const first = await bring([user("u1", "go")], { source: { file: "a.jsonl", measured: 90, end: 100 } });
    expect(first.state.source).toEqual({ file: "a.jsonl", measured: 90, summarized: 100 });
    const second = await bring(open, { source: { file: "a.jsonl", measured: 250, end: 250 } });
    expect(second.state.source).toEqual({ file: "a.jsonl", measured: 250, summarized: 100 });
    const moved = await bring(open, { source: { file: "b.jsonl", measured: 250, end: 250 } });
    expect(moved.state.source).toEqual({ file: "b.jsonl", measured: 250, summarized: 0 });
  });

  it("have no state without a page", async () => {
    await bring(conversation(1));
    rmSync(notesFile(folder));
    expect(readNotesState(folder)).toBeUndefined();
    writeFileSync(notesFile(folder), renderNotes(parseNotes("")));
    expect(readNotesState(folder)).toBeUndefined();
    expect(readNotes(folder)).toBeUndefined();
  });

  it("are read with any state that makes no sense", async () => {
    await bring(conversation(1));
    for (const broken of ["", "{", "[]", '{"version":2}', '{"version":1,"size":{"tokens":-1}}']) {
      writeFileSync(path.join(folder, "state.json"), broken);
      expect(readNotesState(folder)).toBeUndefined();
      expect(readNotes(folder)).toMatchObject({ lastSummarizedId: undefined });
    }
  });

  it("hold no secret, not even one that was cut short or that a person wrote into them", async () => {
    const secret = `sk-ant-api03-${"Q7w_9".repeat(18)}AA`;
    const long = `${"x ".repeat(220)}${secret}`;
    await bring(
      [
        user("u1", `use ${secret} <private>my diary</private>`),
        user("u2", long),
        assistant("u3", `done with ${secret}`),
      ],
      { redact: (value) => redactValue(value).value },
    );
    const text = readFileSync(notesFile(folder), "utf8");
    expect(text).not.toContain("sk-ant-api03");
    expect(text).not.toContain("diary");
    writeFileSync(notesFile(folder), text.replace("# Workflow", `${secret}\n\n# Workflow`));
    const { text: later } = await bring([user("u4", "on")], { redact: (value) => redactValue(value).value });
    expect(later).not.toContain("sk-ant-api03");
  });
});

describe("a model", () => {
  it("is shown the notes, what is new, and the rules, and its page is kept", async () => {
    const { api: seen, model } = await scripted(
      say(answer(page("Reading files."))),
      say(answer(page("Writing."))),
    );
    const history = conversation(2);
    expect(await bring(history, { model })).toMatchObject({ state: { by: "model" } });
    expect(readNotes(folder)?.text).toBe(page("Reading files."));
    const more = [...history, user("u9", "now the logout"), assistant("u10", "on it")];
    await bring(more, { model });
    expect(readNotes(folder)).toEqual({ text: page("Writing."), lastSummarizedId: "u10" });
    const [first, second] = seen.requests.map(({ body }) => textOf(body));
    expect(first).toContain("line of file 1");
    expect(first).toContain("ALWAYS rewrite Current State");
    expect(first).toContain("change none, drop none, add none");
    expect(first).toContain("2,000 tokens");
    expect(second).toContain("now the logout");
    // What it has read once it is not shown again.
    expect(second).not.toContain("line of file 1");
    expect(second).toContain("Auth rewrite");
  });

  it("is reminded of what has become too long", async () => {
    const long = Array.from({ length: 400 }, (_, at) => `- step ${at} of the work on the page`).join("\n");
    const { api: seen, model } = await scripted(
      say(answer(page("One.", { Worklog: long }))),
      say(answer(page("Two."))),
    );
    await bring(conversation(1), { model });
    expect(textOf(seen.requests[0]?.body)).not.toContain("TOO LONG");
    expect(readNotes(folder)?.text).toContain("step 399");
    await bring([user("u9", "go on")], { model });
    expect(textOf(seen.requests[1]?.body)).toMatch(/TOO LONG\\n- \\"Worklog\\" has about [34],\d{3} tokens/);
    expect(readNotes(folder)?.text).toBe(page("Two."));
  });

  it.each([
    ["changes a heading", say(answer(page("x").replace("# Learnings", "# Lessons"))), "Learnings is missing"],
    ["changes guidance", say(answer(page("x").replace("_The files", "_Files"))), "guidance of Files"],
    ["leaves Current State empty", say(answer(page(""))), "Current State is empty"],
    ["sends no page", say("I cannot do that."), "no page"],
    ["calls a tool", use(tool("Read", { file_path: "x" })), "called a tool"],
    ["is cut off", say(answer(page("x")), { stopReason: "max_tokens" }), "cut off"],
    ["is overloaded", overloaded(), "verloaded"],
  ])("that %s leaves the notes to what happened", async (_how, reply, problem) => {
    const { model } = await scripted(reply, reply, reply, reply);
    const updated = await bring(conversation(2), { model });
    expect(updated).toMatchObject({ state: { by: "activity", lastSummarizedId: "end" } });
    expect(updated.problem).toContain(problem);
    expect(readNotes(folder)?.text).toContain("- Asked and answered: Please refactor the auth middleware.");
  });

  it("that fails leaves a page within its budget", async () => {
    const long = Array.from({ length: 400 }, (_, at) => `- step ${at} of the work on the page`).join("\n");
    const { model } = await scripted(say(answer(page("One.", { Worklog: long }))), say("no"));
    await bring(conversation(1), { model });
    expect(overBudget(readNotes(folder)?.text ?? "")).toBeDefined();
    await bring([user("u9", "go on")], { model });
    expect(overBudget(readNotes(folder)?.text ?? "")).toBeUndefined();
    expect(readNotes(folder)?.text).toContain("step 399");
  });

  it("does not overwrite a change made in the last moment", async () => {
    const history = conversation(4, 400);
    let isWritten = false;
    const redact: NotesUpdate["redact"] = (value) => {
      // Only the new page says this, when it is about to be written.
      if (typeof value === "string" && value.startsWith("- Asked") && !isWritten) {
        isWritten = true;
        mkdirSync(folder, { recursive: true });
        writeFileSync(notesFile(folder), page("by hand", { Learnings: "- never on Fridays" }));
      }
      return value;
    };
    const { text } = await bring(history, { redact });
    expect(isWritten).toBe(true);
    expect(parseNotes(text).Learnings).toContain("never on Fridays");
    expect(readNotes(folder)?.text).toBe(text);
    expect(readdirSync(folder).sort()).toEqual(["state.json", "summary.md"]);
  });

  it("does not overwrite a change made while the model was asked", async () => {
    const { model } = await scripted(
      say(answer(page("One."))),
      say(answer(page("Two.")), {
        before: () => writeFileSync(notesFile(folder), page("One.", { Learnings: "- written by hand" })),
      }),
    );
    await bring(conversation(1), { model });
    const updated = await bring([user("u9", "go on")], { model });
    expect(readNotes(folder)?.text).toContain("- written by hand");
    expect(updated.state).toMatchObject({ by: "activity", lastSummarizedId: "u9" });
  });

  it("that is none is not asked", async () => {
    const updated = await bring(conversation(1), { model: noModel });
    expect(updated.problem).toBeUndefined();
    expect(updated.state.by).toBe("activity");
  });

  it("is never shown more than it can read, and the rest is noted all the same", async () => {
    const { api: seen, model } = await scripted(say("no"));
    const updated = await bring(conversation(60, 20_000), { model });
    const sent = textOf(seen.requests[0]?.body);
    expect(sent.length).toBeLessThan(400_000);
    expect(sent).toContain("Earlier messages are left out");
    expect(updated.text).toContain("src/toolu_60.ts");
    expect(isEmptyTemplate(updated.text)).toBe(false);
    expect(existsSync(notesFile(folder))).toBe(true);
  });
});
