// From a payload to an event.
import { describe, expect, it } from "vitest";
import { captureEvent, persistedOutput } from "./capture.ts";
import { eventId } from "./event.ts";

const context = { lane: "hooks", writer: "1.2.3", now: Date.parse("2026-03-01T10:00:00Z") } as const;
const tool = {
  session_id: "s-1",
  transcript_path: "/t.jsonl",
  cwd: "/app",
  agent_id: "a-1",
  hook_event_name: "PostToolUse",
  tool_use_id: "toolu_1",
  tool_input: { command: "ls" },
  tool_response: { stdout: "x", persistedOutputPath: "/big.txt" },
};

describe("captureEvent", () => {
  it("carries who, when, where and the payload", () => {
    expect(captureEvent(tool, context)).toEqual({
      v: 1,
      id: eventId({ session: "s-1", agent: "a-1", kind: "tool", key: "toolu_1" }),
      kind: "tool",
      at: "2026-03-01T10:00:00.000Z",
      session: "s-1",
      agent: "a-1",
      cwd: "/app",
      transcript: "/t.jsonl",
      lane: "hooks",
      writer: "1.2.3",
      payload: tool,
    });
  });

  it("gives the same id whichever way the event comes in, private or not", () => {
    const prompt = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "<private>x</private> y" };
    const event = captureEvent(prompt, context);
    expect(captureEvent(prompt, { ...context, lane: "transcript", now: 0 })?.id).toBe(event?.id);
    expect(event?.payload.prompt).toBe("[redacted: private] y");
  });

  it("takes only what it knows, of a session that has a name", () => {
    for (const change of [
      { hook_event_name: "PreToolUse" },
      { hook_event_name: "constructor" },
      { hook_event_name: 7 },
      { session_id: "" },
      { session_id: null },
    ])
      expect(captureEvent({ ...tool, ...change }, context)).toBeUndefined();
  });

  it("leaves our own words out, however deep they stand, and the payload it was given alone", () => {
    const own = "<throughline-context>known</throughline-context>";
    const payload = { ...tool, tool_response: [{ text: `a${own}b` }, { list: [own] }] };
    expect(captureEvent(payload, context)?.payload.tool_response).toEqual([{ text: "ab" }, { list: [""] }]);
    expect(payload.tool_response[0]).toEqual({ text: `a${own}b` });
  });
});

describe("a call of our own tools", () => {
  it("is kept without its answer", () => {
    const call = { ...tool, tool_name: "mcp__throughline__search" };
    expect(captureEvent(call, context)?.payload).toMatchObject({ tool_input: { command: "ls" } });
    expect(captureEvent(call, context)?.payload).not.toHaveProperty("tool_response");
    expect(captureEvent({ ...tool, tool_name: "mcp__x__search" }, context)?.payload).toHaveProperty(
      "tool_response",
    );
  });
});

describe("persistedOutput", () => {
  it("is the file that holds the whole result, where there is one", () => {
    const event = (response: unknown): string | undefined => {
      const captured = captureEvent({ ...tool, tool_response: response }, context);
      return captured && persistedOutput(captured);
    };
    expect(event(tool.tool_response)).toBe("/big.txt");
    for (const response of [undefined, "text", {}, { persistedOutputPath: 1 }])
      expect(event(response)).toBeUndefined();
  });
});
