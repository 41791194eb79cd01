// Long runs: many more fuzzed files, and a file of 500 MB in bounded memory.
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { type Row, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { checkAnyTranscript } from "../../test/fixtures/transcript/survives.ts";
import { summarizeTranscript } from "./conversation.ts";

const MEGABYTE = 1024 * 1024;
const folder = temporaryFolder();

/** Turns of a call and its result until the file is big enough; gives the number of turns. */
function writeBigTranscript(file: string, bytes: number): number {
  const fd = openSync(file, "w");
  let written = 0;
  let turns = 0;
  let parentUuid: string | null = null;
  const write = (type: string, name: string, message: Row): void => {
    const uuid = `00000000-0000-4000-8000-${name}${String(turns).padStart(11, "0")}`;
    written += writeSync(fd, `${JSON.stringify({ type, uuid, parentUuid, sessionId: "big", message })}\n`);
    parentUuid = uuid;
  };
  for (; written < bytes; turns += 1) {
    const call = {
      type: "tool_use",
      id: `toolu_${turns}`,
      name: "Read",
      input: { file_path: `/src/${turns}.ts` },
    };
    const output = `line ${turns} of some output\n`.repeat(200);
    write("user", "a", { role: "user", content: `please read file ${turns}` });
    write("assistant", "b", { id: `msg_${turns}`, role: "assistant", content: [call] });
    write("user", "c", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call.id, content: output }],
    });
  }
  closeSync(fd);
  return turns;
}

it("100,000 fuzzed transcripts are read without a throw", async () => {
  await checkAnyTranscript(folder.writeBytes(""), 100_000);
});

it("500 MB are summarised within 250 MB", async () => {
  const file = path.join(folder.path, "big.jsonl");
  const turns = writeBigTranscript(file, 500 * MEGABYTE);
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  try {
    const summary = await summarizeTranscript(file);
    expect(summary).toMatchObject({
      turns,
      pairs: { matched: turns, unanswered: 0, orphan: 0 },
      problems: [],
    });
  } finally {
    clearInterval(watch);
    rmSync(file);
  }
  expect((peak - before) / MEGABYTE).toBeLessThan(250);
});
