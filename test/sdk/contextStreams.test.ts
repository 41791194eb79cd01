// Streams and the tool runner of the official client through a context, against an API that enforces its rules.
import { describe, expect, it } from "vitest";
import { contexts, type OpenedContext, turnsFrom } from "./contextLoop.ts";
import { promptOf, readPart, readPartTool } from "./longWork.ts";

const { start, open } = contexts();

describe("a loop on messages.stream", () => {
  it("is never refused, is compacted, and goes on in another process", async () => {
    const model = "claude-opus-5-5";
    const server = await start({ calls: 3, thinks: true, recallsEvery: 5 }, true);
    const { context, events } = open(server, model, "stream");
    await streamLoop(context, model, turnsFrom(1, 24));
    const resumed = open(server, model, "stream");
    expect(resumed.context.history()).toEqual(context.history());
    await streamLoop(resumed.context, model, [25]);
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
    expect(events.compaction.length).toBeGreaterThanOrEqual(1);
    expect(events.warning).toEqual([]);
  });

  async function streamLoop(context: OpenedContext, model: string, turns: readonly number[]) {
    const messages = context.history();
    for (const turn of turns) {
      messages.push({ role: "user", content: promptOf(turn) });
      for (;;) {
        const stream = context.client.messages.stream({
          model,
          max_tokens: 4_096,
          tools: [readPartTool, ...context.tools],
          messages,
        });
        const response = await stream.finalMessage();
        messages.push({ role: "assistant", content: response.content });
        if (response.stop_reason !== "tool_use") break;
        messages.push({
          role: "user",
          content: await context.answer(response, ({ input }) => readPart(input)),
        });
      }
    }
  }

  it("that is left in the middle does not stop the next request", async () => {
    const model = "claude-opus-5";
    const server = await start({ calls: 0 });
    const { context, events } = open(server, model, "left");
    const messages = [{ role: "user" as const, content: promptOf(1) }];
    const stream = context.client.messages.stream({ model, max_tokens: 100, messages });
    for await (const _event of stream) break;
    const response = await context.client.messages.create({ model, max_tokens: 100, messages });
    expect(response.stop_reason).toBe("end_turn");
    expect(events.warning).toEqual([]);
  });
});

describe.each([false, true])("the tool runner (stream: %s)", (stream) => {
  it("runs the context's tools, is never refused, and is compacted", async () => {
    const model = "claude-opus-5-5";
    const server = await start({ calls: 3, thinks: true, recallsEvery: 4 }, true);
    const { context, events } = open(server, model, `runner-${stream}`);
    const runnable = {
      ...readPartTool,
      parse: (input: unknown) => input,
      run: async (input: unknown) => readPart(input),
    };
    for (const turn of turnsFrom(1, 24)) {
      const runner = context.client.beta.messages.toolRunner({
        model,
        max_tokens: 4_096,
        stream,
        thread: false,
        tools: [runnable, ...context.tools],
        messages: [...context.history(), { role: "user", content: promptOf(turn) }],
      });
      await runner.runUntilDone();
    }
    expect(server.refusals.map(({ message }) => message)).toEqual([]);
    expect(server.requests.filter(({ kind }) => kind === "message").length).toBeGreaterThanOrEqual(96);
    expect(events.compaction.length).toBeGreaterThanOrEqual(1);
    expect(events.recall.filter(({ found }) => found).length).toBeGreaterThanOrEqual(2);
    expect(events.warning).toEqual([]);
  });
});
