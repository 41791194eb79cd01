// An agent on the official client through a context, against an API that enforces its rules.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createContext } from "../../src/sdk/index.ts";
import { clientOf, contexts, createLoop, models, turnsFrom } from "./contextLoop.ts";
import { promptOf, readPart, readPartTool } from "./longWork.ts";

const { folder, start, open } = contexts();

const bare = (value: unknown) =>
  JSON.stringify(value, (key, field) => (key === "cache_control" ? undefined : field));

describe("a loop on messages.create", () => {
  it.each(["claude-haiku-4-5", "claude-opus-5", "claude-opus-5-5"])(
    "is never refused on %s, is compacted, and keeps its cache",
    async (model) => {
      const server = await start(
        { calls: 4, thinks: model !== "claude-haiku-4-5", recallsEvery: 5 },
        model === "claude-opus-5-5",
      );
      const { context, events } = open(server, model, `create-${model}`);
      await createLoop(context, model, turnsFrom(1, 20));
      await context.idle();
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      expect(events.compaction.length).toBeGreaterThanOrEqual(2);
      expect(events.recall.filter(({ found }) => found).length).toBeGreaterThanOrEqual(2);
      expect(events.warning).toEqual([]);
      const { read = 0, written = 0, uncached = 0 } = server.cache ?? {};
      expect(read / (read + written)).toBeGreaterThan(0.7);
      // Where the calls for summaries go on from the session, they are cached as it is.
      if (model === "claude-opus-5-5") expect(uncached).toBe(0);
      expect(context.notesFile).toBe(
        path.join(folder.path, "projects", "p", `create-${model}`, "session-memory", "summary.md"),
      );
      expect(existsSync(context.notesFile ?? "")).toBe(true);
      expect(readFileSync(context.notesFile ?? "", "utf8")).toContain("# Current State");
    },
  );

  it("goes on in another process with the same bytes", async () => {
    const model = "claude-opus-5-5";
    const server = await start({ calls: 3, thinks: true }, true);
    const first = open(server, model, "resumed");
    await createLoop(first.context, model, turnsFrom(1, 14));
    const before = server.requests.at(-1)?.messages ?? [];
    const second = open(server, model, "resumed");
    expect(second.context.history()).toEqual(first.context.history());
    await createLoop(second.context, model, [15]);
    const after = server.requests.find(({ news }) => news.includes("[turn 15]"))?.messages ?? [];
    expect(bare(after.slice(0, before.length))).toBe(bare(before));
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
  });
});

describe("policy seed", () => {
  it.each([undefined, { type: "adaptive" as const }])(
    "sends directives that the API takes, with thinking %o",
    async (thinking) => {
      const server = await start({ calls: 2, thinks: thinking !== undefined });
      const context = createContext({
        client: clientOf(server),
        session: "seed",
        folder: "memory",
        policy: "seed",
        models: models("claude-opus-5"),
      });
      const messages = context.history();
      for (const turn of turnsFrom(1, 3)) {
        messages.push({ role: "user", content: promptOf(turn) });
        for (;;) {
          const response = await context.client.messages.create({
            model: "claude-opus-5",
            max_tokens: 4_096,
            tools: [readPartTool, ...context.tools],
            messages,
            ...(thinking ? { thinking } : {}),
          });
          messages.push({ role: "assistant", content: response.content });
          if (response.stop_reason !== "tool_use") break;
          messages.push({
            role: "user",
            content: await context.answer(response, ({ input }) => readPart(input)),
          });
        }
      }
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      const sent = JSON.stringify(server.requests.at(-1)?.body.context_management);
      expect(sent).toContain("clear_tool_uses_20250919");
      expect(sent.includes("clear_thinking_20251015")).toBe(thinking !== undefined);
    },
  );
});

describe("the words of a compaction", () => {
  it.each(["claude-haiku-4-5", "claude-opus-5", "claude-opus-5-5"])(
    "are asked of the same client on %s: its own system sentence, thinking off, no call, one turn, outside the context",
    async (model) => {
      const server = await start({ calls: 2, thinks: true }, model === "claude-opus-5-5");
      const context = createContext({
        client: clientOf(server),
        session: `words-${model}`,
        folder: "memory",
        policy: "seed",
        models: models(model),
      });
      const from: string[] = [];
      context.on("compaction", (event) => from.push(event.from));
      await createLoop(context, model, turnsFrom(1, 12));
      expect(server.refusals.map(({ message }) => message)).toEqual([]);
      const summaries = server.requests.filter(({ body }) =>
        JSON.stringify(body.system ?? "").includes("summariz"),
      );
      expect(from.length).toBeGreaterThanOrEqual(1);
      expect(from.every((source) => source === "model")).toBe(true);
      expect(summaries).toHaveLength(from.length);
      for (const { body, messages } of summaries) {
        expect([undefined, "disabled"]).toContain((body.thinking as { type?: string } | undefined)?.type);
        expect(body.tools === undefined || JSON.stringify(body.tool_choice) === '{"type":"none"}').toBe(true);
        expect(body.context_management).toBeUndefined();
        expect(JSON.stringify(messages.at(-1))).toContain("REMINDER");
      }
      expect(JSON.stringify(context.history())).not.toContain("<analysis>");
    },
  );
});
