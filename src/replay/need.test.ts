// What a call needs, whether the window shows it, and what a recall of it would bring.
import { describe, expect, it } from "vitest";
import type { HistoryItem, ToolUseBlock } from "../messages/index.ts";
import { lookUp, needsOf, newestWith, sliceAround } from "./need.ts";

const call = (input: unknown): ToolUseBlock => ({ type: "tool_use", id: "t", name: "Edit", input });
const says = (text: string): HistoryItem => ({ id: text, message: { role: "user", content: text } });

describe("needsOf", () => {
  it("takes identifiers of 14 characters and more, wherever they stand in the input", () => {
    const needs = needsOf(
      call({ deep: [{ command: "grep fourteenLetter thirteenLettr src/login-controller.ts" }] }),
    );
    expect([...needs].sort()).toEqual(["fourteenLetter", "login-controller"]);
  });

  it("takes the lines that an edit expects to find, without their indentation", () => {
    expect([...needsOf(call({ old_string: "  a = b + c * d;\n  x++;" }))]).toEqual(["a = b + c * d;"]);
    expect([...needsOf(call({ edits: [{ old_string: "if (a) return b;" }, {}] }))]).toEqual([
      "if (a) return b;",
    ]);
  });

  it("needs nothing of an input that is no object", () => {
    expect([...needsOf(call(undefined))]).toEqual([]);
  });
});

describe("lookUp", () => {
  const known = says("the name is configurationLoader");
  it("counts what the window shows as known", () => {
    expect(lookUp(call({ q: "configurationLoader" }), [known], [known])).toEqual({ known: 1, missing: [] });
  });

  it("misses what was known and is out of view", () => {
    const need = lookUp(call({ q: "configurationLoader" }), [says("other")], [known, says("other")]);
    expect(need).toEqual({ known: 1, missing: ["configurationLoader"] });
  });

  it("leaves out what the agent thought of by itself", () => {
    expect(lookUp(call({ q: "neverSeenBefore" }), [known], [known])).toEqual({ known: 0, missing: [] });
  });

  it("sees texts, thinking, calls and results", () => {
    const view: HistoryItem[] = [
      {
        id: "a",
        message: {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "thoughtOfThisName", signature: "s" },
            { type: "tool_use", id: "t", name: "Bash", input: { command: "calledWithThisName" } },
          ],
        },
      },
      {
        id: "b",
        message: {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t",
              content: [{ type: "text", text: "printedThisNameToo" }],
            },
          ],
        },
      },
    ];
    const need = lookUp(call({ q: "thoughtOfThisName calledWithThisName printedThisNameToo" }), view, view);
    expect(need).toEqual({ known: 3, missing: [] });
  });
});

describe("a recall", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  it("brings fifteen lines on either side", () => {
    const slice = sliceAround("line 50", { role: "user", content: lines.join("\n") });
    expect(slice).toBe(lines.slice(35, 66).join("\n"));
  });

  it("brings no more than 4,000 characters", () => {
    const long = `${"x".repeat(9_000)} needle`;
    expect(sliceAround("needle", { role: "user", content: long })).toBe("x".repeat(4_000));
  });

  it("takes the newest message that holds the text", () => {
    const items = [says("old needle"), says("new needle"), says("nothing")];
    expect(newestWith("needle", items)).toBe(items[1]);
    expect(newestWith("absent", items)).toBeUndefined();
  });
});
