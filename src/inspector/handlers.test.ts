// The window of a session over time: what it held, what was done to it, what is recalled and what is taken back.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaudeRows, type Row, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { type Home, ledgerFile, resolveHome, sessionPlace, vaultFolder } from "../home/index.ts";
import { type Edit, type LedgerEntry, openLedger } from "../ledger/index.ts";
import { openVault } from "../vault/index.ts";
import { makeWindowHandlers, type WindowHandlers } from "./handlers.ts";
import { inspectInThread } from "./inThread.ts";
import type { WindowPoint } from "./model.ts";

const files = temporaryFolder();
let folder: string;
let home: Home;
let transcript: string | undefined;
let desk: WindowHandlers;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "inspect-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: folder });
  for (const one of [home.config, home.state, home.data]) mkdirSync(one, { recursive: true });
  transcript = undefined;
  const event = () => ({
    v: 1 as const,
    id: "e",
    kind: "prompt",
    at: "2026-03-01T10:00:00.000Z",
    session: "s1",
    lane: "hooks",
    writer: "test",
    payload: {},
    project: "app",
    promptNumber: 1,
    ...(transcript === undefined ? {} : { transcript }),
  });
  desk = makeWindowHandlers({
    home,
    env: {},
    store: { events: async () => ({ items: [event()] }), prompts: async () => ({ items: [] }) },
    inspector: inspectInThread,
    replay: () => {
      throw new Error("nothing is replayed here");
    },
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const usage = (tokens: number): Row => ({
  input_tokens: 3,
  cache_read_input_tokens: tokens - 103,
  cache_creation_input_tokens: 100,
  output_tokens: 7,
});

function answer(rows: ClaudeRows, id: string, tokens: number, block: Row): string {
  const message = { id, role: "assistant", model: "claude-opus-4-5", content: [block], usage: usage(tokens) };
  return rows.add("assistant", { requestId: `request-${id}`, message });
}

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

/** A turn with one large result, a compaction by the agent, and another turn. */
function compactedSession(): ClaudeRows {
  const rows = new ClaudeRows();
  rows.user("make the login work");
  answer(rows, "m1", 20_000, { type: "tool_use", id: "t1", name: "Bash", input: { command: "make" } });
  rows.user([{ type: "tool_result", tool_use_id: "t1", content: words(2_000) }]);
  answer(rows, "m2", 26_000, { type: "text", text: "It builds." });
  rows.compact({ trigger: "manual", preTokens: 26_100 });
  rows.user("now the logout");
  answer(rows, "m3", 20_400, { type: "text", text: "Done." });
  return rows;
}

let written = 0;
function record(edit: Edit, more: Partial<LedgerEntry> = {}): LedgerEntry {
  written += 1;
  const entry: LedgerEntry = {
    v: 1,
    id: `e_${written}`,
    at: "2026-03-01T10:00:03.500Z",
    by: "here",
    level: "microcompact",
    why: "old and large",
    edit,
    ...more,
  };
  openLedger(ledgerFile(sessionPlace(home, "app", "s1"))).append([entry]);
  return entry;
}

const total = ({ tokens }: WindowPoint): number => Object.values(tokens).reduce((sum, part) => sum + part, 0);

describe("the window over time", () => {
  it("adds up to what was reported for every request, part by part", async () => {
    transcript = files.write(compactedSession().rows);
    const { points, limit, cost } = await desk.view("s1");
    expect(points.map(total)).toEqual([20_000, 26_000, 20_400]);
    expect(points[0]?.tokens).toMatchObject({ results: 0, summary: 0 });
    expect(points[1]?.tokens.results).toBeGreaterThan(4_000);
    expect(points[2]?.tokens.results).toBe(0);
    expect(points[2]?.tokens.summary).toBeGreaterThan(0);
    expect(points[2]?.outOfSight).toBeGreaterThan(4_000);
    expect(limit).toBe(200_000);
    expect(cost).toMatchObject({ requests: 3, outputTokens: 21, models: ["claude-opus-4-5"] });
  });

  it("shows the agent's own compaction with the request that first saw it, and its texts", async () => {
    transcript = files.write(compactedSession().rows);
    const { events } = await desk.view("s1");
    expect(events).toMatchObject([
      {
        kind: "compaction",
        level: "agent",
        by: "agent",
        why: "asked for with /compact",
        before: 26_100,
        point: 2,
      },
    ]);
    expect(events[0]?.undo.legal).toBe(false);
    const detail = await desk.event("s1", events[0]?.id ?? "");
    expect(detail.before.map(({ speaker }) => speaker)).toEqual(["user", "Bash", "Bash", "assistant"]);
    expect(detail.before[2]).toMatchObject({ cut: words(2_000).length - 2_000 });
    expect(detail.after).toMatchObject([{ speaker: "summary" }]);
  });

  it("counts what the host put aside as spilled, and what left with it as out of sight", async () => {
    const rows = compactedSession();
    const preview = "<persisted-output>\nOutput too large";
    Object.assign(rows.rows[2] ?? {}, {
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: preview }] },
    });
    transcript = files.write(rows.rows);
    const { handle } = openVault(vaultFolder(home)).put(words(2_000), { session: "s1" });
    record(
      { kind: "replace-result", toolUseId: "t1", content: preview },
      {
        by: "host",
        level: "budget",
        at: "2026-03-01T10:00:02.500Z",
        tokens: { before: 6_000, after: 20 },
        handles: [handle],
      },
    );
    const { points, events } = await desk.view("s1");
    expect(points[1]?.tokens.results).toBe(0);
    expect(points[1]?.tokens.spilled).toBeGreaterThan(0);
    expect(points[1]?.outOfSight).toBe(5_980);
    expect(events[0]).toMatchObject({ by: "host", what: "replace-result", point: 1, undo: { legal: false } });
    const detail = await desk.event("s1", events[0]?.id ?? "");
    expect(detail.before).toMatchObject([{ speaker: "vault", handle }]);
    expect(detail.after).toMatchObject([{ speaker: "Bash", text: preview }]);
  });

  it("compares two requests: what left, what came, what changed and what both have", async () => {
    transcript = files.write(compactedSession().rows);
    const grown = await desk.compare("s1", 0, 1);
    expect(grown).toMatchObject({ from: { request: 0, tokens: 20_000 }, to: { tokens: 26_000 }, same: 1 });
    expect(grown.left.texts).toEqual([]);
    expect(grown.came.texts.map(({ speaker }) => speaker)).toEqual(["Bash", "Bash"]);
    const compacted = await desk.compare("s1", 1, 2);
    expect(compacted.left.texts.map(({ speaker }) => speaker)).toEqual(["user", "Bash", "Bash"]);
    expect(compacted.came.texts.map(({ speaker }) => speaker)).toEqual(["summary", "user"]);
    await expect(desk.compare("s1", 0, 3)).rejects.toMatchObject({ code: "not-found" });
  });

  it("compares what an edit left of a result with what was there", async () => {
    transcript = files.write(compactedSession().rows);
    record(
      { kind: "replace-result", toolUseId: "t1", content: "[cleared]" },
      { at: "2026-03-01T10:00:06.500Z" },
    );
    const { changed } = await desk.compare("s1", 1, 1);
    expect(changed.before.texts).toEqual([]);
    const rows = compactedSession();
    answer(rows, "m4", 20_500, { type: "text", text: "More." });
    const uncompacted = rows.rows.filter(({ subtype, isCompactSummary }) => !subtype && !isCompactSummary);
    transcript = files.write(uncompacted);
    const late = await desk.compare("s1", 1, 3);
    expect(late.changed.after.texts).toMatchObject([{ speaker: "Bash", text: "[cleared]" }]);
    expect(late.changed.before.texts[0]?.text).toContain("word0 word1");
  });

  it("previews a compaction, and writes nothing", async () => {
    transcript = files.write(compactedSession().rows);
    const small = await desk.preview("s1", ({ folder: own }) => path.join(own, "session-memory"));
    expect(small).toMatchObject({ after: small.before, summary: [] });
    const rows = compactedSession();
    rows.user(words(40_000));
    answer(rows, "m4", 120_000, { type: "text", text: "Read." });
    rows.user("and now?");
    answer(rows, "m5", 120_100, { type: "text", text: "Nothing." });
    transcript = files.write(rows.rows);
    const preview = await desk.preview("s1", ({ folder: own }) => path.join(own, "session-memory"));
    expect(preview.after).toBeLessThan(preview.before);
    expect(preview.summary.join()).toContain("make the login work");
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes("vault"))).toEqual(
      [],
    );
    transcript = undefined;
    record({ kind: "replace-result", toolUseId: "t1", content: "x" });
    await expect(
      desk.preview("s1", ({ folder: own }) => path.join(own, "session-memory")),
    ).rejects.toMatchObject({ code: "not-found" });
  });

  it("hides secrets in the texts of an event", async () => {
    const rows = compactedSession();
    const key = ["sk", "ant", "api03", "a1B2".repeat(23)].join("-");
    Object.assign(rows.rows[0] ?? {}, { message: { role: "user", content: `use ${key}` } });
    transcript = files.write(rows.rows);
    const { events } = await desk.view("s1");
    const detail = await desk.event("s1", events[0]?.id ?? "");
    expect(detail.before[0]?.text).toContain("[redacted");
    expect(JSON.stringify(detail)).not.toContain(key);
  });

  it("tells edits where no transcript is left, and that it is missing", async () => {
    record({ kind: "replace-result", toolUseId: "t1", content: "cleared" });
    const { points, events, notes } = await desk.view("s1");
    expect([points, notes]).toEqual([[], ["no-transcript"]]);
    expect(events).toHaveLength(1);
  });

  it("says when nothing is known of a session, or of an event", async () => {
    await expect(desk.view("s1")).rejects.toMatchObject({ code: "not-found" });
    transcript = files.write(compactedSession().rows);
    await expect(desk.event("s1", "e_none")).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("taking back", () => {
  it("undoes an edit of ours from now on", async () => {
    transcript = files.write(compactedSession().rows);
    const { id } = record({
      kind: "replace-result",
      toolUseId: "t1",
      content: "[Old tool result content cleared]",
    });
    const before = await desk.view("s1");
    expect(before.events.find((event) => event.id === id)).toMatchObject({
      undone: false,
      undo: { legal: true },
    });
    expect(before.points[1]?.tokens.results).toBe(0);
    expect(await desk.undo("s1", id)).toEqual({ undone: [id] });
    const after = await desk.view("s1");
    expect(after.events.find((event) => event.id === id)).toMatchObject({ undone: true });
    expect(after.events.at(-1)).toMatchObject({ kind: "undo" });
    // What was sent is not changed by it.
    expect(after.points).toEqual(before.points);
  });

  it("refuses what the agent holds in its own history, and says why", async () => {
    const { id } = record(
      { kind: "replace-result", toolUseId: "t1", content: "x" },
      { by: "host", level: "budget" },
    );
    transcript = files.write(compactedSession().rows);
    await expect(desk.undo("s1", id)).rejects.toMatchObject({ code: "undo-refused" });
  });
});

describe("recalling", () => {
  it("gives exact text page by page and divides no character", () => {
    const text = `${"a".repeat(63_999)}😀${"b".repeat(10)}`;
    const { handle } = openVault(vaultFolder(home)).put(text, { session: "s1" });
    const first = desk.recall(handle, 0);
    expect(first).toMatchObject({ handle, next: 63_999, bytes: Buffer.byteLength(text) });
    const second = desk.recall(handle, first.next ?? 0);
    expect(second.next).toBeUndefined();
    expect(first.text + second.text).toBe(text);
  });
});
