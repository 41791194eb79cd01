// What each kind of edit does, entry by entry, and what is refused.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import { check, type Message, textOf } from "../messages/index.ts";
import { entryProblem } from "./edits.ts";
import { activeEntries, apply, type Edit, type LedgerEntry, planUndo, tagOf } from "./index.ts";

const messages: Message[] = [
  { role: "user", content: "look for TODOs" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "a", signature: "s1" },
      { type: "tool_use", id: "t1", name: "Grep", input: { pattern: "TODO" } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: "23 places", is_error: false }],
  },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t2", name: "Read", input: { file_path: "login.ts" } }],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "4 KB of login.ts" }] },
  { role: "user", content: "never mind, fix the 500" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "b", signature: "s2" },
      { type: "tool_use", id: "t3", name: "Bash", input: { command: "tail" } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t3", content: "a log" }] },
];
const history = identify(messages);
const idOf = (at: number): string => history[at]?.id ?? "";
const tip = idOf(7);

let serial = 0;
const entry = (edit: Edit, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 1,
  id: `e${++serial}`,
  at: "2026-01-01T00:00:00.000Z",
  by: "here",
  level: "user",
  why: "test",
  tip,
  edit,
  ...more,
});
const texts = (entries: LedgerEntry[]): string[] =>
  apply(history, entries).messages.map(({ content }) => textOf(content));

describe("an edit", () => {
  it("replaces a result's content and keeps its block, id and error flag", () => {
    const out = apply(history, [entry({ kind: "replace-result", toolUseId: "t1", content: "[cleared]" })]);
    expect(out.messages[2]).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: "[cleared]", is_error: false }],
    });
    expect(out.messages[1]).toBe(messages[1]);
  });

  it("removes a whole user turn with its tool pairs", () => {
    const items = history.slice(0, 5).map(({ id }) => id);
    const out = apply(history, [entry({ kind: "remove-turn", turn: idOf(0), items })]);
    expect(out.messages).toEqual(messages.slice(5));
  });

  it("is skipped when it would part a tool pair, and says so", () => {
    const wrong = entry({ kind: "remove-turn", turn: idOf(0), items: [idOf(0), idOf(1)] });
    const out = apply(history, [wrong]);
    expect(out.messages).toEqual(messages);
    expect(out.skipped).toEqual([
      { entry: wrong.id, kind: "remove-turn", reason: "would-break", detail: "tool-result-orphan" },
    ]);
  });

  it("is skipped inside an open tool call", () => {
    const open = history.slice(0, 7);
    const cut = entry(
      { kind: "replace-prefix", through: idOf(6), messages: [{ role: "user", content: "sum" }] },
      { tip: idOf(6) },
    );
    expect(apply(open, [cut]).skipped[0]?.reason).toBe("open-call");
  });

  it("replaces a span by a placeholder", () => {
    const span = entry({
      kind: "replace-span",
      first: idOf(1),
      last: idOf(4),
      messages: [{ role: "assistant", content: "[folded]" }],
    });
    expect(texts([span])).toEqual(["look for TODOs", "[folded]", "never mind, fix the 500", "", ""]);
  });

  const collapse: Edit = {
    kind: "collapse-commit",
    collapseId: "c1",
    summaryUuid: "c1-summary",
    summaryContent: "[collapsed]",
    firstArchivedUuid: idOf(1),
    lastArchivedUuid: idOf(4),
  };

  it("collapses a span into a placeholder of the name it was given", () => {
    const out = apply(history, [entry(collapse)]);
    expect(out.messages.map(({ content }) => textOf(content))).toEqual([
      "look for TODOs",
      "[collapsed]",
      "never mind, fix the 500",
      "",
      "",
    ]);
    expect(out.items[1]?.id).toBe("c1-summary");
  });

  it("takes what was built on a placeholder back with its collapse", () => {
    const made = entry(collapse);
    const onTop = entry({
      kind: "replace-prefix",
      through: "c1-summary",
      messages: [{ role: "user", content: "sum" }],
    });
    expect(planUndo([made, onTop], made.id)).toEqual([made, onTop]);
  });

  it("takes staged spans as a note that changes nothing", () => {
    const spans = [{ firstArchivedUuid: idOf(1), lastArchivedUuid: idOf(4), tokens: 9, score: 3 }];
    const snapshot: Edit = { kind: "collapse-snapshot", spans, armed: true, lastSpawnTokens: 0 };
    expect(apply(history, [entry(snapshot)]).messages).toEqual(messages);
    expect(entryProblem(entry({ ...snapshot, spans: [{}] } as unknown as Edit))).toMatch(/`spans`/);
  });

  it("replaces a prefix by boundary and summary, keeps the rest, and puts attachments behind it", () => {
    const compact = entry({
      kind: "replace-prefix",
      through: idOf(4),
      messages: [
        { role: "user", content: "<compact boundary>" },
        { role: "user", content: "summary" },
      ],
      attachments: [{ role: "user", content: "<attachment>" }],
      dropThinking: true,
    });
    const later = identify([
      ...messages,
      { role: "assistant", content: "fixed" },
      { role: "user", content: "thanks" },
    ]);
    const out = apply(later, [compact]).messages;
    expect(out.map(({ content }) => textOf(content))).toEqual([
      "<compact boundary>",
      "summary",
      "never mind, fix the 500",
      "",
      "",
      "<attachment>",
      "fixed",
      "thanks",
    ]);
    expect(JSON.stringify(out)).not.toContain("thinking");
    expect(check(out)).toEqual([]);
  });

  it("keeps named items of a replaced prefix in their order", () => {
    const compact = entry({
      kind: "replace-prefix",
      through: idOf(5),
      keep: [idOf(0)],
      messages: [{ role: "user", content: "sum" }],
    });
    expect(texts([compact]).slice(0, 2)).toEqual(["sum", "look for TODOs"]);
  });

  it("drops thinking up to a point", () => {
    const out = apply(history, [entry({ kind: "drop-thinking", through: idOf(4) })]);
    expect(JSON.stringify(out.messages[1])).not.toContain("thinking");
    expect(out.messages[6]).toBe(messages[6]);
  });

  it("tags every real user input from a point on, and nothing else", () => {
    expect(texts([entry({ kind: "tag-inputs", from: idOf(5) })])[5]).toBe(
      `never mind, fix the 500\n[id:${tagOf(idOf(5))}]`,
    );
    expect(texts([entry({ kind: "tag-inputs" })])[0]).toMatch(/^look for TODOs\n\[id:[0-9a-z]{6}\]$/);
    expect(texts([entry({ kind: "tag-inputs" })])[2]).toBe("");
    expect(messages[0]?.content).toBe("look for TODOs");
  });

  it("collects directives, whatever carries them out", () => {
    const params = { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } };
    const directive = entry(
      { kind: "directive", params, betas: ["context-management-2025-06-27"] },
      { by: "server" },
    );
    expect(apply(history, [directive]).params).toEqual({
      body: params,
      betas: ["context-management-2025-06-27"],
    });
  });

  it("leaves pinned items alone until they are unpinned", () => {
    const pin = entry({ kind: "pin", items: [idOf(2)] });
    const clear = entry({ kind: "replace-result", toolUseId: "t1", content: "gone" });
    expect(apply(history, [pin, clear]).skipped[0]?.reason).toBe("pinned");
    const unpin = entry({ kind: "unpin", items: [idOf(2)] });
    expect(apply(history, [pin, unpin, clear]).skipped).toEqual([]);
  });

  it("of a mark changes nothing, and one that the agent carried out is not repeated", () => {
    const mark = entry({ kind: "mark", wanted: { kind: "remove-turn" } });
    const host = entry({ kind: "replace-result", toolUseId: "t1", content: "gone" }, { by: "host" });
    expect(apply(history, [mark, host]).messages).toEqual(messages);
  });
});

describe("undo", () => {
  const span = entry({
    kind: "replace-span",
    first: idOf(1),
    last: idOf(4),
    messages: [{ role: "assistant", content: "[folded]" }],
  });
  const onTop = entry({
    kind: "replace-prefix",
    through: `${span.id}:0`,
    messages: [{ role: "user", content: "sum" }],
  });
  const other = entry({ kind: "replace-result", toolUseId: "t3", content: "short" });

  it("takes what was built on the entry with it and leaves the rest", () => {
    expect(planUndo([span, onTop, other], span.id)).toEqual([span, onTop]);
    const undo = entry({ kind: "undo", entry: span.id });
    expect(activeEntries([span, onTop, other, undo])).toEqual([other]);
    expect(texts([span, onTop, other, undo])).toEqual(texts([other]));
  });

  it("of an undo brings everything back", () => {
    const undo = entry({ kind: "undo", entry: span.id });
    const redo = entry({ kind: "undo", entry: undo.id });
    expect(activeEntries([span, onTop, undo, redo])).toEqual([span, onTop]);
  });

  it.each([
    ["host", /agent/],
    ["server", /API/],
  ] as const)("is refused for what the %s carried out, with the reason", (by, reason) => {
    const done = entry({ kind: "replace-result", toolUseId: "t1", content: "x" }, { by });
    expect(() => planUndo([done], done.id)).toThrow(reason);
  });

  it("is refused for an unknown or an undone entry", () => {
    expect(() => planUndo([], "e0")).toThrow(/no ledger entry e0/);
    const undo = entry({ kind: "undo", entry: other.id });
    expect(() => planUndo([other, undo], other.id)).toThrow(/already undone/);
  });
});

describe("an entry", () => {
  it.each([
    ["an array", []],
    ["a version of the future", { ...entry({ kind: "undo", entry: "x" }), v: 2 }],
    ["an unknown kind", { ...entry({ kind: "undo", entry: "x" }), edit: { kind: "explode" } }],
    ["an inherited kind", { ...entry({ kind: "undo", entry: "x" }), edit: { kind: "constructor" } }],
    ["a wrong field", { ...entry({ kind: "undo", entry: "x" }), edit: { kind: "pin", items: "all" } }],
    ["an unknown level", { ...entry({ kind: "undo", entry: "x" }), level: "magic" }],
    [
      "a structural edit without its tip",
      { ...entry({ kind: "drop-thinking", through: "x" }), tip: undefined },
    ],
  ])("is refused as %s", (_name, value) => {
    expect(entryProblem(value)).toBeTypeOf("string");
  });
});
