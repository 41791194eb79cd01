// Rows of a mod as messages, and messages as rows.
import { describe, expect, it } from "vitest";
import { check, type Message } from "../messages/index.ts";
import { messagesOfRows, readHostRows, rowOfMessage } from "./hostRows.ts";

const use = (id: string) => ({ tool_use_id: id, tool: "Bash", input: { command: id }, text: "as answered" });
const result = (id: string) => ({ tool_use_id: id, text: `output of ${id}`, isError: id === "t2" });

const rows = readHostRows([
  { role: "user", text: "begin", toolUses: [], handle: "h1" },
  { role: "assistant", text: "two things", toolUses: [], handle: "h2" },
  { role: "assistant", text: "", toolUses: [use("t1")], handle: "h3" },
  { role: "assistant", text: "", toolUses: [use("t2")], handle: "h4" },
  { role: "user", text: "", toolUses: [], toolResults: [result("t1")], handle: "h5" },
  { role: "user", text: "", toolUses: [], toolResults: [result("t2")], handle: "h6" },
]);

describe("rows of a mod", () => {
  it("become valid messages, a response and its results one each, named by their first row", () => {
    const items = messagesOfRows(rows);
    expect(items.map(({ id }) => id)).toEqual(["h1", "h2", "h5"]);
    expect(check(items.map(({ message }) => message))).toEqual([]);
    expect(items[2]?.message.content).toMatchObject([
      { tool_use_id: "t1" },
      { tool_use_id: "t2", is_error: true },
    ]);
  });

  it("come back as they were, and without a handle", () => {
    const messages = messagesOfRows(rows).map(({ message }) => message);
    const back = messages.flatMap((message) => rowOfMessage(message) ?? []);
    expect(back.every((row) => row.handle === undefined)).toBe(true);
    expect(messagesOfRows(back).map(({ message }) => message)).toEqual(messages);
  });

  it("carry no thinking, and a message of nothing else is no row", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const message: Message = { role: "assistant", content: [thinking, { type: "text", text: "said" }] };
    expect(rowOfMessage(message)).toEqual({ role: "assistant", text: "said", toolUses: [] });
    expect(rowOfMessage({ role: "assistant", content: [thinking] })).toBeUndefined();
  });

  it.each([[undefined], ["rows"], [[1, null, {}, { role: "system" }]]])("are none in %j", (value) => {
    expect(readHostRows(value)).toEqual([]);
  });
});
