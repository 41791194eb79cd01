// The same event has the same id, whichever way it comes in; another event has another.
import { describe, expect, it } from "vitest";
import { sha256 } from "../lib/index.ts";
import { type EventKind, eventId, eventKey, eventKinds } from "./event.ts";

const at = "2026-03-01T10:00:00.500Z";

describe("eventId", () => {
  it("is made of session, agent, kind and key, and of nothing else", () => {
    const digest = sha256(JSON.stringify(["s", "", "tool", "toolu_1"])).slice(0, 24);
    expect(eventId({ session: "s", kind: "tool", key: "toolu_1" })).toBe(`ev_${digest}`);
    expect(eventId({ session: "s", agent: undefined, kind: "tool", key: "toolu_1" })).toBe(`ev_${digest}`);
  });

  it("tells sessions, agents, kinds and keys apart", () => {
    const ids = [
      eventId({ session: "s", kind: "tool", key: "k" }),
      eventId({ session: "t", kind: "tool", key: "k" }),
      eventId({ session: "s", agent: "a", kind: "tool", key: "k" }),
      eventId({ session: "s", kind: "tool-failure", key: "k" }),
      eventId({ session: "s", kind: "tool", key: "l" }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("eventKey", () => {
  it("is the call's id for tools, whatever else is known and whenever it is seen", () => {
    expect(eventKey("tool", { tool_use_id: "toolu_1", tool_response: "x" }, at)).toBe("toolu_1");
    expect(eventKey("tool-failure", { tool_use_id: "toolu_1" }, "2027-01-01T00:00:00.000Z")).toBe("toolu_1");
  });

  it("tells calls without an id apart by what was asked and when", () => {
    const [first, second] = [{ tool_input: { command: "a" } }, { tool_input: { command: "b" } }];
    expect(eventKey("tool", first, at)).not.toBe(eventKey("tool", second, at));
    expect(eventKey("tool", first, at)).not.toBe(eventKey("tool", first, "2026-03-01T10:00:01.000Z"));
  });

  it("is the prompt's id, or its text where an agent gives none", () => {
    expect(eventKey("prompt", { prompt_id: "p", prompt: "x" }, at)).toBe("p");
    expect(eventKey("prompt", { prompt: "x\n" }, at)).toBe(eventKey("prompt", { prompt: "x" }, at));
    expect(eventKey("prompt", { prompt: "x" }, at)).not.toBe(eventKey("prompt", { prompt: "y" }, at));
  });

  it("tells two stops of one turn apart by what was said, and needs no clock for it", () => {
    const stop = (text: string, when = at): string =>
      eventKey("stop", { prompt_id: "p", last_assistant_message: text }, when);
    expect(stop("done")).not.toBe(stop("really done"));
    expect(stop("done")).toBe(stop("done", "2027-01-01T00:00:00.000Z"));
  });

  const later = "2027-01-01T00:00:00.000Z";

  it.each<[EventKind, object, object]>([
    ["session-end", { reason: "other", prompt_id: "p" }, { reason: "other", prompt_id: "q" }],
    ["session-start", { source: "startup" }, { source: "fork" }],
    ["post-compact", { trigger: "auto", compact_summary: "a" }, { trigger: "auto", compact_summary: "b" }],
  ])("needs no clock for %s where the payload tells it apart", (kind, payload, other) => {
    expect(eventKey(kind, { ...payload }, at)).toBe(eventKey(kind, { ...payload }, later));
    expect(eventKey(kind, { ...payload }, at)).not.toBe(eventKey(kind, { ...other }, at));
  });

  it("is the same end by any lane and for any reason", () => {
    const end = (reason: string): string => eventKey("session-end", { reason, prompt_id: "p" }, at);
    expect(end("gone")).toBe(end("other"));
  });

  it.each<[EventKind, object]>([
    ["session-start", { source: "resume" }],
    ["session-start", { source: "compact", prompt_id: "p" }],
    ["session-end", { reason: "other" }],
    ["pre-compact", { trigger: "auto", prompt_id: "p" }],
    ["post-compact", { trigger: "auto", prompt_id: "p", compact_summary: "" }],
  ])("is the second for %s, which can happen again with nothing else to tell", (kind, payload) => {
    const key = (when: string): string => eventKey(kind, { ...payload }, when);
    expect(key(at)).toBe(key("2026-03-01T10:00:00.999Z"));
    expect(key(at)).not.toBe(key("2026-03-01T10:00:01.000Z"));
  });

  it("is there for every kind, also when the payload is empty", () => {
    for (const kind of eventKinds) expect(eventKey(kind, {}, at)).not.toBe("");
  });
});
