// What the mod puts in place of the worker's answers: what a prompt needs, tools, results and compactions; and nothing where none comes.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { modTroubleFile } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { workerHome } from "../worker/workers.ts";
import { type Host, openHost } from "./host.ts";
import { beginSession, startWorker } from "./session.ts";

const place = workerHome();

const begin = async (): Promise<Host> => {
  await startWorker(place);
  return beginSession(place);
};

/** What reaches Claude Code itself when the event has passed the mod. */
async function passed(host: Host, event: string, e: JsonObject): Promise<JsonObject> {
  let reached: unknown;
  const result = await host.raise(event, e, async (inner) => {
    reached = inner;
    return { isClaudeCodes: true };
  });
  return isObject(reached) ? reached : { answered: result };
}

const remember = (title: string, text: string): Promise<unknown> =>
  call(place.socket, "remember", {
    args: { title, text, folder: place.folder, session: "earlier" },
    timeoutMs: 20_000,
  });

const prompt = "why does the ferry timetable parser fail on leap days";

describe("a prompt", () => {
  it("is given what it needs of earlier sessions, each time it is said, and no other prompt is", async () => {
    const host = await begin();
    await remember("The ferry timetable parser fails on leap days", "February has 29 of them.");
    for (const _ of [1, 2]) {
      const { context, text } = await passed(host, "prompt.submit", { text: prompt });
      expect(text).toBe(prompt);
      expect(context).toEqual([expect.stringMatching(/kind="memory"[\s\S]*leap days/)]);
    }
    const other = { text: "what is for lunch in the harbour canteen", context: ["of another mod"] };
    expect(await passed(host, "prompt.submit", other)).toEqual(other);
  });

  it("enters as it is where no worker answers", async () => {
    const host = await openHost({ env: place.env(), folder: place.folder, session: "s1" });
    expect(await passed(host, "prompt.submit", { text: prompt })).toEqual({ text: prompt });
  });
});

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `row ${at}: the ferry leaves at ${at % 24} o'clock`).join("\n");

const appended = (content: unknown): JsonObject => ({
  door: "tool-result",
  uuid: "u1",
  origin: { kind: "tool", tool: "Bash" },
  message: { type: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] },
});

const callTool = (host: Host, name: string, input: JsonObject): Promise<JsonObject> =>
  host.raise("tool.call", { tool: `mcp__mods-throughline__${name}`, tool_use_id: "t9", ...input });

describe("the tools", () => {
  it("are offered by the names of the MCP server, and left out where that has them", async () => {
    const host = await begin();
    const list = (names: readonly string[]) =>
      host.raise("tool.list", {}, async () => ({ value: names.map((name) => ({ name })) }));
    expect(await list(["Bash", "mcp__throughline__recall"])).toMatchObject({ value: { length: 2 } });
    expect(host.tools).toEqual([]);
    await list(["Bash"]);
    expect(host.tools).toEqual(expect.arrayContaining(["recall", "search", "snip"]));
    const own = host.tools.map((name) => `mcp__mods-throughline__${name}`);
    expect(await list(["Bash", ...own])).toEqual({ value: ["Bash", ...own].map((name) => ({ name })) });
    for (const prefix of ["mcp__throughline__", "mcp__plugin_throughline_throughline__"]) {
      const served = host.tools.map((name) => prefix + name);
      expect(await list([...served, ...own])).toEqual({ value: served.map((name) => ({ name })) });
    }
  });

  it("bring back what was put away, and find what is known", async () => {
    const host = await begin();
    const stored = await passed(host, "session.append", appended(lines(2_000)));
    const handle = /recall (tl:\w+)/.exec(JSON.stringify(stored))?.[1] ?? "";
    expect(await callTool(host, "recall", { handle, lines: "1500-1501" })).toEqual({
      result: expect.stringMatching(/row 1499: [^\n]+\nrow 1500: [^\n]+\n(?!row)/),
    });
    await remember("The ferry timetable parser fails on leap days", "February has 29 of them.");
    expect(await callTool(host, "search", { query: "ferry timetable" })).toEqual({
      result: expect.stringContaining("leap days"),
    });
  });

  it.each<[string, JsonObject, RegExp]>([
    ["recall", { handle: "tl:000000000000" }, /tl:000000000000/],
    ["recall", {}, /handle/],
    ["snip", { agentId: "a1", ids: ["t1"] }, /subagent/],
    ["dance", {}, /does not answer/],
  ])("say what is wrong: %s %j", async (name, input, words) => {
    expect(await callTool(await begin(), name, input)).toEqual({ deny: expect.stringMatching(words) });
  });
});

/** Rows of a window, each with a transcript row of its own. */
function conversation(count: number, length: number): JsonObject[] {
  return Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    text: `message ${at}\n${"and the ferry left again. ".repeat(at < count - 4 ? length / 26 : 1)}`,
    toolUses: [],
    handle: `row-${at}`,
  }));
}

function writeTranscript(rows: readonly JsonObject[]): void {
  const file = `${place.folder}/s1.jsonl`;
  for (const [at, { role, text, handle }] of rows.entries())
    appendFileSync(
      file,
      `${JSON.stringify({
        type: role,
        uuid: handle,
        parentUuid: at === 0 ? null : `row-${at - 1}`,
        timestamp: new Date(Date.parse("2026-03-01T10:00:00Z") + at * 1_000).toISOString(),
        sessionId: "s1",
        cwd: place.folder,
        message: { role, content: [{ type: "text", text }] },
      })}\n`,
    );
}

const compact = (host: Host, messages: readonly JsonObject[]): Promise<JsonObject> =>
  host.raise("session.compact", { trigger: "auto", messages }, async () => ({ isClaudeCodes: true }));

/** Claude Code's own compaction: its summary, and the newest row under its handle. */
const withSummary = (
  host: Host,
  messages: readonly JsonObject[],
  own: () => JsonObject,
): Promise<JsonObject> => host.raise("session.compact", { trigger: "auto", messages }, async () => own());

const rowsOf = ({ messages }: JsonObject): { text: string }[] =>
  (Array.isArray(messages) ? messages : []) as { text: string }[];

describe("what a compaction leaves", () => {
  it("is drawn as one line, whole where all is shown, and a prompt as it was typed", async () => {
    const host = await begin();
    const draw = (text: string, isExpanded = false) =>
      host.raise("ui.render", { component: "UserMessage", props: { text, isExpanded } }, async () => ({
        own: true,
      }));
    const summary =
      "This session is being continued from a previous conversation that outgrew its window.\n\nrecall tl:0123456789ab, whole";
    expect(await draw(summary)).toEqual({
      Text: { dimColor: true, children: "  Throughline kept what was here · recall tl:0123456789ab" },
    });
    expect(await draw("<system-reminder>\n# Environment\n</system-reminder>")).toEqual({ Box: {} });
    for (const shown of [
      draw(summary, true),
      draw("see <system-reminder> there"),
      draw("recall tl:0123456789ab"),
    ])
      expect(await shown).toEqual({ own: true });
  });
});

describe("a compaction", () => {
  it("of a conversation that is longer than Claude Code sends is made of its transcript", async () => {
    const host = await begin();
    const messages = conversation(100, 50_000);
    writeTranscript(messages.slice(0, 98));
    const text = "Summary:\n1. Primary Request and Intent:\n   CLAUDE'S WORDS\n";
    const own = () => ({ messages: [{ role: "user", text, toolUses: [] }, ...messages.slice(-1)] });
    const rows = rowsOf(await withSummary(host, messages, own));
    expect(rows[0]?.text).toMatch(/^This session is being continued/);
    expect(rows[0]?.text).toContain("CLAUDE'S WORDS");
    expect(rows.at(-1)?.text).toBe(messages.at(-1)?.text);
    expect(rows.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(2_500_000);
  });

  it("that Claude Code cannot make is made of the messages", async () => {
    const failing = () => {
      throw new Error("the model is overloaded");
    };
    const messages = conversation(100, 50_000);
    writeTranscript(messages.slice(0, 98));
    const rows = rowsOf(await withSummary(await begin(), messages, failing));
    expect(rows[0]?.text).toMatch(/^This session is being continued/);
  });

  it("of one that is too long, and whose transcript cannot be read, is Claude Code's", async () => {
    expect(await compact(await begin(), conversation(100, 50_000))).toEqual({ isClaudeCodes: true });
  });

  it("ahead of time is declined, and one of a subagent is Claude Code's", async () => {
    const host = await begin();
    const messages = conversation(10, 2_600);
    const own = async () => ({ isClaudeCodes: true });
    expect(await host.raise("session.compact", { trigger: "precompute", messages }, own)).toEqual({
      skip: expect.any(String),
    });
    expect(await host.raise("session.compact", { trigger: "auto", agentId: "a1", messages }, own)).toEqual({
      isClaudeCodes: true,
    });
  });
});

describe("where the worker stops to answer", () => {
  it("everything goes on as without a mod, it is asked once, and the trouble is noted", async () => {
    const worker = await startWorker(place);
    const host = await beginSession(place);
    worker.kill("SIGSTOP");
    const result = appended(lines(2_000));
    expect(await passed(host, "session.append", result)).toEqual(result);
    // From here on no worker is asked: with half a minute to wait for a compaction this would take as long.
    expect(await compact(host, conversation(10, 2_600))).toEqual({ isClaudeCodes: true });
    expect(await passed(host, "prompt.submit", { text: prompt })).toEqual({ text: prompt });
    expect(await callTool(host, "recall", { handle: "tl:1" })).toEqual({
      deny: expect.stringContaining("does not answer"),
    });
    expect(host.requests()).toBe(0);
    expect(existsSync(modTroubleFile(place.home))).toBe(true);
    expect(readFileSync(modTroubleFile(place.home), "utf8")).toContain(
      "did not answer within 2000 ms (result)",
    );
    worker.kill("SIGCONT");
  });
});
