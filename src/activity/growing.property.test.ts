// A conversation that is read while it grows is read as one that is read at once.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { conversation } from "../../test/longSession/conversation.ts";
import type { History, Message } from "../messages/index.ts";
import { conversationText, knownContents, knownLines, readActivity, sessionState } from "./index.ts";

/** Other objects with the same content: nothing that was read of the first is known of them. */
const copyOf = (history: History) => JSON.parse(JSON.stringify(history)) as History;

const readingOf = (history: History) => {
  const activity = readActivity(history);
  return {
    activity,
    text: conversationText(activity, 3_000),
    state: sessionState(history),
    lines: knownLines(history).map((file) => [file.path, file.at, file.known()]),
    contents: knownContents(history).map((file) => [file.path, file.at, file.known()]),
  };
};

/** Calls that change the state of a session, which the long conversation has none of. */
const special: readonly (readonly [string, object, string])[] = [
  ["TodoWrite", { todos: [{ content: "write the parser", status: "in_progress" }] }, "ok"],
  ["EnterPlanMode", {}, "ok"],
  ["ExitPlanMode", { plan: "# Plan\nfirst this, then that" }, "approved"],
  ["Bash", { command: "sleep 9", run_in_background: true }, "running in the background with ID: shell_1"],
  ["KillShell", { shell_id: "shell_1" }, "killed"],
  ["Skill", { skill: "review" }, "loaded"],
  ["AskUserQuestion", { questions: [] }, 'User answered: "Which one?"="the first"'],
  ["Write", { file_path: "/repo/a.ts", content: "one\ntwo" }, "File created"],
];

const specialRounds = fc.array(fc.nat({ max: special.length - 1 }), { maxLength: 6 }).map((picks) =>
  picks.flatMap((pick, at): Message[] => {
    const [name, input, content] = special[pick] as (typeof special)[number];
    const id = `special_${at}`;
    return [
      { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
      { role: "user", content: at % 2 === 0 ? "yes please" : "no, revert that" },
    ];
  }),
);

const grown = fc
  .record({
    history: anyHistory,
    rounds: specialRounds,
    turns: fc.integer({ min: 20, max: 40 }),
    seed: fc.nat(1_000),
    cuts: fc.array(fc.nat(300), { maxLength: 4 }),
  })
  .map(({ history, rounds, turns, seed, cuts }) => {
    const messages = [...conversation({ turns, thinking: false, seed }), ...rounds];
    const items = messages.map((message, at) => ({ id: `long_${at}`, message }));
    return { items: [...items, ...history] as History, cuts: cuts.toSorted((a, b) => a - b) };
  });

describe("a conversation that grows", () => {
  it("is read as one that is read at once, wherever it was read before", () => {
    fc.assert(
      fc.property(grown, ({ items, cuts }) => {
        for (const end of [...cuts, items.length]) {
          const part = items.slice(0, end);
          expect(readingOf(part)).toEqual(readingOf(copyOf(part)));
        }
      }),
      { numRuns: 8 },
    );
  });
});
