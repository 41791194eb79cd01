// The order of the levels: what is cheap and exact comes first, a summary of everything last.
import { expect, it } from "vitest";
import { KEEP_ALL } from "../../test/fixtures/pipeline/client.ts";
import { asked, rounds, windowsOf } from "../../test/fixtures/pipeline/filling.ts";
import type { Message } from "../messages/index.ts";
import { memorySession, prepare, seedSettings } from "./index.ts";

const order = ["budget", "snip", "microcompact", "collapse", "autocompact"];

it("is budget, snip, microcompact, collapse, autocompact, in one request under seed", () => {
  const session = memorySession("s", { settings: seedSettings, models: windowsOf(20_000) });
  const large: Message[] = [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "big", name: "Bash", input: { command: "cat" } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "big", content: "line\n".repeat(20_000) }],
    },
  ];
  const messages = [asked, ...rounds(30), ...large];
  const { receipt } = prepare({ session, messages, model: KEEP_ALL, now: 1 });
  const levels = [...new Set(receipt.edits.map(({ level }) => level))];
  expect(levels).toEqual(order.filter((level) => level !== "collapse"));
  expect(receipt.edits.map(({ level }) => order.indexOf(level))).toEqual(
    receipt.edits.map(({ level }) => order.indexOf(level)).toSorted((a, b) => a - b),
  );
});
