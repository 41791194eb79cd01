// Any bytes at all are read without a throw or a hang, and no order of parallel results loses one.
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { checkAnyTranscript } from "../../test/fixtures/transcript/survives.ts";
import { check } from "../messages/index.ts";
import { readConversation } from "./conversation.ts";

const folder = temporaryFolder();

it("fuzzed transcripts are read without a throw, and whole and summary reads agree", async () => {
  await checkAnyTranscript(folder.writeBytes(""), 2000);
});

it("a long file in which every row names the last one as its parent is read in one go", async () => {
  const count = 30_000;
  const rows = Array.from({ length: count }, (_, number) => ({
    type: "user",
    uuid: `u${number}`,
    parentUuid: `u${count - 1}`,
    message: { role: "user", content: `prompt ${number}` },
  }));
  const { items } = await readConversation(folder.write(rows));
  expect(items).toHaveLength(count);
});

/** For each response the calls it makes; for each call when its result comes and which row that names as parent. */
const responses = fc.array(
  fc.array(fc.record({ delay: fc.nat(3), onCall: fc.boolean(), hook: fc.boolean() }), { maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

it("no tool pair is lost, in whatever order parallel calls and results are written", async () => {
  const file = folder.writeBytes("");
  await fc.assert(
    fc.asyncProperty(responses, fc.boolean(), async (shapes, compacts) => {
      const rows = new ClaudeRows();
      rows.user("go");
      let total = 0;
      shapes.forEach((calls, number) => {
        const open: { tool: string; due: number; parent: Record<string, string>; hook: boolean }[] = [];
        const answer = (now: number): void => {
          for (const { tool, parent, hook } of open.filter(({ due }) => due === now)) {
            rows.result(tool, parent);
            if (hook) rows.add("attachment", { attachment: { type: "hook_success" } });
          }
        };
        rows.say(`m${number}`, "working");
        let made = rows.last ?? "";
        calls.forEach(({ delay, onCall, hook }, place) => {
          const tool = `t${number}-${place}`;
          made = rows.call(`m${number}`, tool, onCall ? { parentUuid: made } : {});
          open.push({ tool, due: place + delay, parent: onCall ? { parentUuid: made } : {}, hook });
          answer(place);
        });
        for (let now = calls.length; now < calls.length + 4; now += 1) answer(now);
        total += calls.length;
        if (compacts && number % 2 === 1) rows.compact();
      });
      rows.say("end", "done");
      const { items, pairs, counts } = await readConversation(folder.write(rows.rows, path.basename(file)));
      expect(pairs).toEqual({ matched: total, unanswered: 0, orphan: 0 });
      expect(counts.abandonedRows).toBe(0);
      const violations = check(items.map(({ message }) => message)).filter(({ code }) =>
        code.startsWith("tool"),
      );
      expect(violations).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
