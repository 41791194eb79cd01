// A transcript that is imported: all of it once, in order, by the rules that hold for live events.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { callRow, captured, keptHere, promptRow, resultRow, second } from "../../test/worker/kept.ts";
import type { ArchiveOutcome } from "../archive/index.ts";
import { projectOf } from "../home/index.ts";
import type { Pause } from "../home/pause.ts";
import type { JsonObject } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { type ImportedTranscript, importTranscript } from "./importTranscript.ts";

const kept = keptHere();
const NOW = second(100_000);

const saidRow = (session: string, at: number, words: string, more: JsonObject = {}): JsonObject => ({
  ...callRow(session, at, ""),
  message: { id: `msg_${at}`, role: "assistant", content: [{ type: "text", text: words }] },
  ...more,
});

/** A turn that begins in some second of a session and calls a tool once. */
const turn = (session: string, at: number, prompt: string, more: JsonObject = {}): JsonObject[] =>
  [
    promptRow(session, at, prompt),
    callRow(session, at + 1, `t${at}`),
    resultRow(session, at + 2, `t${at}`),
    saidRow(session, at + 3, `${prompt} is done.`),
  ].map((row) => ({ ...row, ...more }));

interface Given {
  readonly pauses?: readonly Pause[];
  readonly excluded?: string;
  readonly archive?: ArchiveOutcome;
  readonly now?: number;
  readonly signal?: AbortSignal;
}

function importing(file: string, given: Given = {}): Promise<ImportedTranscript> {
  const { store, home, log } = kept;
  const parts = {
    store,
    redact: (payload: JsonObject) => redactValue(payload).value,
    badFolder: path.join(home.state, "spool", "bad"),
    pauses: () => given.pauses ?? [],
    isExcluded: (...folders: readonly (string | undefined)[]) =>
      given.excluded !== undefined && folders.includes(given.excluded),
    archive: async () => given.archive ?? "archived",
    clock: { now: () => given.now ?? NOW },
    log,
  };
  const signal = given.signal ?? new AbortController().signal;
  return importTranscript(parts, file, { signal, onProgress: () => undefined });
}

const shown = async (): Promise<string[]> =>
  (await kept.events()).map(({ kind, session, promptNumber, agent, payload }) => {
    const what = payload.prompt ?? payload.tool_use_id ?? payload.last_assistant_message ?? "";
    return `${session} ${promptNumber} ${agent === undefined ? "" : `${agent} `}${kind} ${what}`.trim();
  });

describe("an imported transcript", () => {
  it("is kept whole and in order, with the times of then, and adds nothing when it is imported again", async () => {
    const file = kept.transcript("s1", [...turn("s1", 1, "one"), ...turn("s1", 10, "two")]);
    expect(await importing(file)).toMatchObject({
      outcome: "imported",
      session: "s1",
      events: { prompt: 2, tool: 2, stop: 2, "session-end": 1 },
      messages: 6,
      from: new Date(second(1)).toISOString(),
    });
    expect(await shown()).toEqual([
      "s1 1 prompt one",
      "s1 1 tool t1",
      "s1 1 stop one is done.",
      "s1 2 prompt two",
      "s1 2 tool t10",
      "s1 2 stop two is done.",
      "s1 2 session-end",
    ]);
    expect((await kept.events()).every(({ lane }) => lane === "import")).toBe(true);
    expect(await kept.store.session("s1")).toMatchObject({ status: "completed", promptCounter: 2 });
    const before = await kept.store.stats();
    expect(await importing(file)).toMatchObject({ outcome: "unchanged", events: {}, messages: 0 });
    appendFileSync(file, "\n");
    expect(await importing(file)).toMatchObject({ outcome: "imported", events: {}, messages: 0 });
    expect((await kept.store.stats()).counts).toEqual(before.counts);
  });

  it("has its work done only when all of it is there", async () => {
    const file = kept.transcript("s1", turn("s1", 1, "one"));
    const broken = new AbortController();
    const archive = kept.store.finishSource;
    kept.store.finishSource = async () => {
      broken.abort();
      throw new Error("the worker dies here");
    };
    await expect(importing(file)).rejects.toThrow("dies here");
    expect(await kept.store.workDue(["observe", "summarize"], NOW)).toBe(0);
    kept.store.finishSource = archive;
    await importing(file);
    expect(await kept.store.workDue(["observe", "summarize"], NOW)).toBe(2);
  });

  it("has what subagents did where it happened", async () => {
    const file = kept.transcript("s1", [...turn("s1", 1, "one"), ...turn("s1", 20, "two")]);
    const folder = path.join(path.dirname(file), "s1", "subagents");
    mkdirSync(folder, { recursive: true });
    const own = { agentId: "a1", isSidechain: true };
    const rows = [
      callRow("s1", 2, "sub", own),
      resultRow("s1", 3, "sub", own),
      saidRow("s1", 4, "Seen.", own),
    ];
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    const agent = path.join(folder, "agent-a1.jsonl");
    writeFileSync(agent, text);
    await importing(file);
    expect((await shown()).filter((line) => line.includes("a1"))).toEqual([
      "s1 1 a1 tool sub",
      "s1 1 a1 subagent-stop Seen.",
    ]);
  });

  it("is of the session it was forked from as far as that goes", async () => {
    const first = [...turn("s1", 1, "one"), ...turn("s1", 10, "two")];
    await importing(kept.transcript("s1", first));
    // All that Claude Code changes in a copy.
    const copy = first.map((row) => ({ ...row, sessionId: "s2", promptId: "p30" }));
    await importing(kept.transcript("s2", [...copy, ...turn("s2", 30, "another way")]));
    expect((await shown()).filter((line) => line.startsWith("s2"))).toEqual([
      "s2 1 prompt another way",
      "s2 1 tool t30",
      "s2 1 stop another way is done.",
      "s2 1 session-end",
    ]);
    const { items } = await kept.store.messages({ session: "s2" });
    expect(items).toHaveLength(3);
  });

  it("of a fork whose origin is gone is all there is of it", async () => {
    const copy = turn("s1", 1, "one").map((row) => ({ ...row, sessionId: "s2", promptId: "p30" }));
    await importing(kept.transcript("s2", [...copy, ...turn("s2", 30, "two")]));
    expect((await shown()).filter((line) => line.includes("prompt"))).toEqual([
      "s2 1 prompt one",
      "s2 2 prompt two",
    ]);
  });

  it("adds nothing to a session that hooks have told of", async () => {
    const base = { session_id: "s1", cwd: "/" };
    const hooks: [JsonObject, number][] = [
      [{ ...base, hook_event_name: "SessionStart", source: "startup" }, 0],
      [{ ...base, hook_event_name: "UserPromptSubmit", prompt: "one", prompt_id: "p1" }, 1],
      [
        {
          ...{ ...base, hook_event_name: "PostToolUse", tool_name: "Bash", tool_use_id: "t1" },
          ...{ tool_input: {}, tool_response: {} },
        },
        3,
      ],
      // Other words than those in the transcript: an older version had none.
      [{ ...base, hook_event_name: "Stop", prompt_id: "p1" }, 4],
      [{ ...base, hook_event_name: "SessionEnd", reason: "other" }, 5],
    ];
    await kept.ingest.keep(hooks.map(([payload, at]) => captured(payload, second(at))));
    const before = await shown();
    expect(await importing(kept.transcript("s1", turn("s1", 1, "one")))).toMatchObject({
      events: {},
      messages: 3,
    });
    expect(await shown()).toEqual(before);
  });

  it("has what came before a session was taken up with hooks", async () => {
    const base = { session_id: "s1", cwd: "/" };
    await kept.ingest.keep([
      captured({ ...base, hook_event_name: "SessionStart", source: "resume" }, second(20)),
      captured({ ...base, hook_event_name: "UserPromptSubmit", prompt: "two", prompt_id: "p21" }, second(21)),
    ]);
    await importing(kept.transcript("s1", [...turn("s1", 1, "one"), ...turn("s1", 21, "two")]));
    expect(await shown()).toEqual([
      // Numbered as it became known.
      "s1 2 prompt one",
      "s1 2 tool t1",
      "s1 2 stop one is done.",
      "s1 0 session-start",
      "s1 1 prompt two",
      "s1 2 tool t21",
    ]);
  });

  it.each<[string, Given]>([
    ["a pause", { pauses: [{ from: second(9), to: second(15) }] }],
    ["an excluded folder", { excluded: "/private" }],
  ])("leaves out what happened in %s, and has it when that is over", async (_, given) => {
    const hidden = turn("s1", 10, "secret work", { cwd: "/private" });
    const file = kept.transcript("s1", [...turn("s1", 1, "one"), ...hidden, ...turn("s1", 20, "two")]);
    expect(await importing(file, given)).toMatchObject({ leftOut: 6, events: { prompt: 2 } });
    expect(JSON.stringify([await kept.events(), await kept.store.messages()])).not.toContain("secret work");
    expect(await importing(file)).toMatchObject({ leftOut: 0, events: { prompt: 1, tool: 1, stop: 1 } });
  });

  it("does not bring back what was forgotten, in no archive either", async () => {
    const file = kept.transcript("s1", turn("s1", 1, "one"));
    await importing(file);
    await kept.store.forget({ session: "s1" });
    expect(await importing(file)).toMatchObject({ events: {}, messages: 0, archived: false });
    expect((await kept.store.stats()).counts).toMatchObject({ sessions: 0, events: 0, messages: 0 });
    const afterwards = Math.ceil((Date.now() - second(0)) / 1_000) + 60;
    kept.transcript("s1", turn("s1", afterwards, "later"));
    await importing(file);
    expect((await shown()).filter((line) => line.includes("prompt"))).toEqual(["s1 1 prompt later"]);
  });

  it("is read again while it is being written, and when it could not be archived", async () => {
    const file = kept.transcript("s1", turn("s1", 1, "one"));
    const now = second(60);
    expect(await importing(file, { now })).toMatchObject({ events: { prompt: 1, tool: 1 } });
    expect(await importing(file, { now })).toMatchObject({ outcome: "imported", events: {} });
    expect(await importing(file, { archive: "failed" })).toMatchObject({
      events: { stop: 1, "session-end": 1 },
    });
    expect(await importing(file)).toMatchObject({ outcome: "imported", events: {}, archived: true });
    expect(await importing(file)).toMatchObject({ outcome: "unchanged" });
  });

  it("belongs to the project it was started in, also where the folder is gone", async () => {
    const gone = path.join(kept.folder, "gone", "my-app");
    const rows = [
      ...turn("s1", 1, "one", { cwd: gone }),
      ...turn("s1", 10, "two", { cwd: path.join(gone, "src") }),
    ];
    expect(await importing(kept.transcript("s1", rows))).toMatchObject({ project: projectOf(gone).id });
    const projects = new Set((await kept.events()).map(({ project }) => project));
    expect([...projects]).toEqual([projectOf(gone).id]);
  });

  it("names lines that cannot be used, and keeps the others", async () => {
    const file = kept.transcript("s1", turn("s1", 1, "one"));
    appendFileSync(file, '{"broken\n[1]\n');
    kept.transcript("s1", turn("s1", 10, "two"));
    appendFileSync(file, '{"type":"user","mess');
    expect(await importing(file)).toMatchObject({
      problemCount: 3,
      problems: [
        "s1.jsonl: Line 5 is not JSON.",
        "s1.jsonl: Line 6 is JSON but not an object.",
        "s1.jsonl: Line 11 is not finished yet.",
      ],
      events: { prompt: 2 },
    });
    // An agent may be writing that last line right now.
    appendFileSync(file, " ");
    expect(await importing(file, { now: second(60) })).toMatchObject({ problemCount: 2 });
  });

  it("ends where it is when the worker leaves, and is done by the next one", async () => {
    const file = kept.transcript("s1", turn("s1", 1, "one"));
    const signal = AbortSignal.abort();
    await expect(importing(file, { signal })).rejects.toMatchObject({ code: "worker-absent" });
    expect(await importing(file)).toMatchObject({ events: { prompt: 1 } });
  });
});
