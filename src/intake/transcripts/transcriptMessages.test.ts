// What was said, read off the rows of a transcript; what our own tools answered is not among it.
import { expect, it } from "vitest";
import { callRow, promptRow, resultRow } from "../../../test/worker/rows.ts";
import type { JsonObject } from "../../lib/index.ts";
import { messageReader } from "./transcriptMessages.ts";

const said = (rows: readonly JsonObject[]): string[] => {
  const reader = messageReader("s");
  return rows
    .flatMap((row) => reader.read(row))
    .map(({ role, text }) => `${role}: ${text.split("\n").at(-1)}`);
};

it("is the user's words and what tools answered, but for our own", () => {
  const rows = (name: string): JsonObject[] => [
    promptRow("s", 1, "look it up"),
    callRow("s", 2, "toolu_1", {
      message: { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name, input: {} }] },
    }),
    resultRow("s", 3, "toolu_1"),
  ];
  expect(said(rows("Bash"))).toEqual(["user: look it up", "tool: answer toolu_1"]);
  expect(said(rows("mcp__throughline__search"))).toEqual(["user: look it up"]);
});
