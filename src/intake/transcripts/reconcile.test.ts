// What hooks have missed, found in the transcript: once, under the id the hook would have given, and only what may be kept.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { callRow, captured, keptHere, promptRow, resultRow, second } from "../../../test/worker/kept.ts";
import type { Pause } from "../../home/pause.ts";
import type { JsonObject } from "../../lib/index.ts";
import { redactValue } from "../../redact/index.ts";
import { keepMessages } from "../ingest.ts";
import type { LifecycleEvent } from "../lifecycle.ts";
import { makeReconciler, type Reconciler } from "./reconcile.ts";
import { openMarks } from "./transcriptMarks.ts";

const kept = keptHere();
const clock = { now: () => second(1_000) };

function reconciler(
  more: { pauses?: readonly Pause[]; excluded?: string; announced?: LifecycleEvent[] } = {},
): Reconciler {
  const { store, ingest, home, log } = kept;
  const isExcluded = (...folders: readonly (string | undefined)[]): boolean =>
    more.excluded !== undefined && folders.includes(more.excluded);
  return makeReconciler({
    store,
    ingest,
    keepMessages: (session, messages) =>
      keepMessages({ store, redact: (payload) => redactValue(payload).value, isExcluded }, session, messages),
    marks: openMarks(home, clock.now()),
    pauses: () => more.pauses ?? [],
    isExcluded,
    clock,
    log,
    lifecycle: { announce: async (lifecycleEvent) => void more.announced?.push(lifecycleEvent) },
  });
}

const shown = async (): Promise<string[]> =>
  (await kept.events()).map(
    ({ kind, lane, payload }) => `${kind} ${lane} ${payload.prompt ?? payload.tool_use_id ?? payload.source}`,
  );

const hookPrompt = (session: string, prompt: string, id: string): JsonObject => ({
  hook_event_name: "UserPromptSubmit",
  session_id: session,
  cwd: "/",
  prompt_id: id,
  prompt,
});
const hookTool = (session: string, id: string, name = "PostToolUse"): JsonObject => ({
  hook_event_name: name,
  session_id: session,
  cwd: "/",
  tool_name: "Bash",
  tool_use_id: id,
  tool_input: { command: `run ${id}` },
  tool_response: { stdout: `answer ${id}` },
});
const hookStart = (session: string, source: string): JsonObject => ({
  hook_event_name: "SessionStart",
  session_id: session,
  cwd: "/",
  source,
});

describe("reconciling", () => {
  it("keeps what was said, tool output included, once and without secrets", async () => {
    const secret = `${"gh"}p_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const content = [
      { type: "tool_result", tool_use_id: "t1", content: `TOKEN=${secret} and 3 tests failed` },
    ];
    const answer = { ...resultRow("s1", 3, "t1"), message: { role: "user", content } };
    const file = kept.transcript("s1", [
      promptRow("s1", 1, "run the tests"),
      callRow("s1", 2, "t1"),
      answer,
      {
        ...callRow("s1", 4, "t2"),
        message: { role: "assistant", content: [{ type: "text", text: "Three failed." }] },
      },
    ]);
    await reconciler().run(file, "s1");
    kept.transcript("s1", [promptRow("s1", 6, "why?")]);
    await reconciler().run(file, "s1");
    const { items } = await kept.store.messages({ order: "oldest" });
    expect(items.map(({ role }) => role)).toEqual(["user", "tool", "assistant", "user"]);
    expect(items[1]?.text).toContain("run t1");
    expect(items[1]?.text).toContain("3 tests failed");
    expect(JSON.stringify(items)).not.toContain(secret);
  });

  it("keeps what no hook reported, and nothing twice", async () => {
    await kept.ingest.keep([
      captured(hookPrompt("s1", "first", "p1"), second(1)),
      captured(hookTool("s1", "t2"), second(5)),
    ]);
    const rows = [
      promptRow("s1", 1, "first"),
      callRow("s1", 2, "t1"),
      resultRow("s1", 3, "t1"),
      callRow("s1", 4, "t2"),
      resultRow("s1", 5, "t2"),
      promptRow("s1", 6, "second"),
    ];
    const file = kept.transcript("s1", rows);
    expect(await reconciler().run(file, "s1")).toBe(2);
    expect(await shown()).toEqual([
      "prompt hooks first",
      "tool transcript t1",
      "tool hooks t2",
      "prompt transcript second",
    ]);
    expect(await reconciler().run(file, "s1")).toBe(0);
    // The hooks that were late bring nothing new.
    expect(
      await kept.ingest.keep([
        captured(hookPrompt("s1", "second", "p6"), second(9)),
        captured(hookTool("s1", "t1"), second(9)),
      ]),
    ).toEqual({ added: 0, known: 2, bad: 0 });
  });

  it("reads on from where it was, over a call that was still open and a line that was not finished", async () => {
    const file = kept.transcript("s1", [promptRow("s1", 1, "go"), callRow("s1", 2, "t1")]);
    expect(await reconciler().run(file, "s1")).toBe(1);
    const line = JSON.stringify(resultRow("s1", 3, "t1"));
    appendFileSync(file, line.slice(0, 50));
    expect(await reconciler().run(file, "s1")).toBe(0);
    appendFileSync(file, `${line.slice(50)}\n`);
    expect(await reconciler().run(file, "s1")).toBe(1);
    expect(await shown()).toEqual(["prompt transcript go", "tool transcript t1"]);
  });

  it("takes a failed call that a hook reported as a plain one for the same", async () => {
    await kept.ingest.keep([captured(hookTool("s1", "t1"), second(3))]);
    const failed = resultRow("s1", 3, "t1", {
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "no" }],
      },
    });
    expect(await reconciler().run(kept.transcript("s1", [callRow("s1", 2, "t1"), failed]), "s1")).toBe(0);
  });

  it("reads the transcripts of subagents too", async () => {
    const file = kept.transcript("s1", [promptRow("s1", 1, "go")]);
    const agent = { agentId: "a1", isSidechain: true };
    const folder = path.join(path.dirname(file), "s1", "subagents");
    mkdirSync(folder, { recursive: true });
    const rows = [callRow("s1", 2, "t1", agent), resultRow("s1", 3, "t1", agent)];
    writeFileSync(
      path.join(folder, "agent-a1.jsonl"),
      rows.map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
    expect(await reconciler().run(file, "s1")).toBe(2);
    expect(await kept.events()).toMatchObject([
      { kind: "prompt" },
      { kind: "tool", agent: "a1", transcript: file },
    ]);
  });

  it("keeps nothing of a pause, nor of an excluded folder", async () => {
    const rows = [
      promptRow("s1", 1, "before"),
      promptRow("s1", 10, "in the pause"),
      promptRow("s1", 20, "after"),
      { ...promptRow("s1", 30, "elsewhere"), cwd: "/excluded" },
    ];
    const pauses = [{ from: second(5), to: second(15) }];
    await reconciler({ pauses, excluded: "/excluded" }).run(kept.transcript("s1", rows), "s1");
    expect(await shown()).toEqual(["prompt transcript before", "prompt transcript after"]);
  });

  it.each(["resume", "fork"])(
    "leaves alone what came before a session was first seen, by %s",
    async (source) => {
      await kept.ingest.keep([captured(hookStart("s1", source), second(10))]);
      const rows = [promptRow("s1", 1, "not seen"), promptRow("s1", 11, "seen")];
      await reconciler().run(kept.transcript("s1", rows), "s1");
      expect(await shown()).toEqual([`session-start hooks ${source}`, "prompt transcript seen"]);
    },
  );

  it("hides what is private and what is secret, as if a hook had brought it", async () => {
    const secret = `${"gh"}p_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const rows = [promptRow("s1", 1, `use <private>my diary</private> and ${secret}`)];
    await reconciler().run(kept.transcript("s1", rows), "s1");
    const text = JSON.stringify(await kept.events());
    expect(text).toContain("[redacted: private]");
    expect(text).not.toContain("diary");
    expect(text).not.toContain(secret);
  });

  it("begins again with a file that was replaced by a shorter one, and passes over one that is gone", async () => {
    const file = kept.transcript("s1", [promptRow("s1", 1, "long ".repeat(100))]);
    await reconciler().run(file, "s1");
    writeFileSync(file, `${JSON.stringify(promptRow("s1", 50, "new"))}\n`);
    expect(await reconciler().run(file, "s1")).toBe(1);
    expect(await reconciler().run(path.join(kept.folder, "gone.jsonl"), "s1")).toBe(0);
  });

  it("catches up at the start on every transcript it knows of", async () => {
    const file = kept.transcript("s1", [promptRow("s1", 1, "missed")]);
    const before = reconciler();
    before.note([{ ...captured(hookStart("s1", "startup"), second(0)), transcript: file }]);
    expect(readFileSync(path.join(kept.home.state, "transcripts.json"), "utf8")).toContain("s1.jsonl");
    expect(await reconciler().runAll()).toEqual({ added: 1, complete: true });
    expect(await reconciler().runAll()).toEqual({ added: 0, complete: true });
  });
});
