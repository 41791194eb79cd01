// What holds for every dialect, for any conversation: run with few of them by the unit suite, and with 10,000 by the soak.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chatCompletions,
  type MessageDialect,
  type MessageEdit,
  openCodeMessages,
  piMessages,
  responses,
  rewriteItems,
} from "../../src/dialects/index.ts";
import type { JsonObject } from "../../src/lib/index.ts";
import { type Block, blocksOf, check, type Message, textOf } from "../../src/messages/index.ts";
import { choices, chosenEdits, conversations, writers } from "./conversations.ts";

const dialects = [piMessages, openCodeMessages, chatCompletions, responses];

/** The messages with the edits carried out, as `live` does it. */
function applied(messages: readonly Message[], edits: readonly MessageEdit[]): Message[] {
  const result = structuredClone(messages) as { role: string; content: Block[] }[];
  for (const edit of edits) {
    if (edit.kind !== "blocks") continue;
    for (const [index, text] of Object.entries(edit.blocks))
      if (text !== null) result[edit.at]?.content.splice(Number(index), 1, JSON.parse(text));
  }
  return result as Message[];
}

/** Contents are compared by their words: a list of one text and the text are the same result. */
const wordsIn = (messages: readonly Message[]) =>
  messages.map((message) => ({
    role: message.role,
    blocks: blocksOf(message).map((block) =>
      block.type === "tool_result" ? { ...block, content: textOf(block.content) } : block,
    ),
  }));

export function dialectProperties(numRuns: number): void {
  describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))("%s", (name, dialect) => {
    const any = conversations(writers[name] ?? (() => []));

    it("is read as messages that the API would take, but for how they end", () => {
      fc.assert(
        fc.property(any, (items) => {
          const broken = check(dialect.read(items).messages, { allowPrefill: true }).filter(
            ({ code }) => !["no-messages", "first-role", "thinking-unsigned", "thinking-last"].includes(code),
          );
          expect(broken).toEqual([]);
        }),
        { numRuns },
      );
    });

    it("is written back as it came where nothing is edited", () => {
      fc.assert(
        fc.property(any, (items) => {
          const before = JSON.stringify(items);
          const read = dialect.read(items);
          const same = rewriteItems(dialect, items, read, []);
          expect(same?.every((item, at) => item === items[at])).toBe(true);
          expect(JSON.stringify(same)).toBe(before);
          // Through every block, too: each written again as what it is.
          const all = read.messages.map((message, at): MessageEdit => {
            const blocks = blocksOf(message).map((block, index) => [index, JSON.stringify(block)]);
            return { kind: "blocks", at, blocks: Object.fromEntries(blocks) };
          });
          expect(JSON.stringify(rewriteItems(dialect, items, read, all))).toBe(before);
        }),
        { numRuns },
      );
    });

    it("is edited where an edit says so and nowhere else", () => {
      fc.assert(
        fc.property(any, choices, (items, chosen) => {
          const read = dialect.read(items);
          const edits = chosenEdits(read, chosen);
          const after = rewriteItems(dialect, items, read, edits) ?? [];
          expect(wordsIn(dialect.read(after).messages)).toEqual(wordsIn(applied(read.messages, edits)));
          const touched = new Set(
            edits.flatMap((edit) =>
              edit.kind === "blocks"
                ? Object.keys(edit.blocks).map((index) => read.sources[edit.at]?.[Number(index)]?.item)
                : [],
            ),
          );
          expect(after).toHaveLength(items.length);
          after.forEach((item, at) => {
            if (!touched.has(at)) expect(item).toBe(items[at]);
          });
        }),
        { numRuns },
      );
    });

    it("has a span replaced by messages that say what is put there", () => {
      fc.assert(
        fc.property(any, fc.nat(), (items, cut) => {
          const read = dialect.read(items);
          // Only in front of a prompt: a call and its result leave together.
          const turns = read.messages.flatMap(({ role, content }, at) =>
            role === "user" && !JSON.stringify(content).includes("_result") ? [at] : [],
          );
          const end = turns[cut % Math.max(1, turns.length)] ?? 0;
          const summary: Message = { role: "user", content: [{ type: "text", text: "what happened" }] };
          const edit: MessageEdit = { kind: "span", at: 0, end, messages: [JSON.stringify(summary)] };
          const after = rewriteItems(dialect, items, read, [edit]) ?? [];
          const said = wordsIn(dialect.read(after).messages);
          expect(said).toEqual(wordsIn([summary, ...read.messages.slice(end)]));
          const kept = new Set(read.sources.slice(end).flatMap((all) => all.map(({ item }) => item)));
          for (const at of kept) expect(after).toContain(items[at]);
        }),
        { numRuns },
      );
    });
  });

  it("says the same in every dialect of a message that was none before", () => {
    const call = { type: "tool_use", id: "call_1", name: "other", input: { note: "x" } };
    const result = { type: "tool_result", tool_use_id: "call_1", content: "seen" };
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: "look" }] },
      { role: "assistant", content: [{ type: "text", text: "I look." }, call] },
      { role: "user", content: [result] },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ];
    const flat: readonly MessageDialect[] = [piMessages, chatCompletions, responses];
    for (const dialect of flat) {
      const items = messages.flatMap((message): readonly JsonObject[] => dialect.write(message, undefined));
      expect(isDeepStrictEqual(wordsIn(dialect.read(items).messages), wordsIn(messages))).toBe(true);
    }
  });
}
