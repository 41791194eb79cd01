// Long runs: 500 MB in bounded memory, and growth whose cost does not depend on what was there before.
import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { openVault } from "../vault/index.ts";
import { archiveTranscript } from "./archive.ts";

const MEGABYTE = 1024 * 1024;
const folder = temporaryFolder();

const words = "The quick brown fox jumps over the lazy dog, and nobody minds. 敏捷的棕色狐狸。";

/** Turns of a prompt, a long answer, a call and a result; gives how many. */
function writeBigTranscript(file: string, bytes: number): number {
  const fd = openSync(file, "w");
  let [written, turns] = [0, 0];
  const write = (type: string, role: string, content: unknown): void => {
    const uuid = `${type}-${role}-${turns}-${written}`;
    const at = new Date(Date.parse("2026-01-01T00:00:00Z") + written).toISOString();
    const row = { type, uuid, parentUuid: null, sessionId: "big", timestamp: at, message: { role, content } };
    written += writeSync(fd, `${JSON.stringify(row)}\n`);
  };
  for (; written < bytes; turns += 1) {
    const id = `toolu_${turns}`;
    write("user", "user", `please look at ${turns}: ${words}`);
    write("assistant", "assistant", [{ type: "text", text: `${turns} ${words.repeat(60)}` }]);
    write("assistant", "assistant", [
      { type: "tool_use", id, name: "Read", input: { file_path: `/src/${turns}.ts` } },
    ]);
    // Every sixteenth result is long enough to be put away, which waits for the disk.
    const length = turns % 16 === 0 ? 2_000 : 12;
    write("user", "user", [{ type: "tool_result", tool_use_id: id, content: `${words}\n`.repeat(length) }]);
  }
  closeSync(fd);
  return turns;
}

it("500 MB are archived within 300 MB, and grow by a row without being read again", async () => {
  const file = path.join(folder.path, "big.jsonl");
  const turns = writeBigTranscript(file, 500 * MEGABYTE);
  const options = { dir: folder.path, group: "big", vault: openVault(path.join(folder.path, "vault")) };
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const began = performance.now();
  const report = await archiveTranscript(file, options);
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(watch);
  expect(report).toMatchObject({ outcome: "created", added: turns * 4 });
  const row = {
    type: "user",
    uuid: "last",
    sessionId: "big",
    message: { role: "user", content: "one more" },
  };
  appendFileSync(file, `${JSON.stringify(row)}\n`);
  const again = performance.now();
  expect(await archiveTranscript(file, options)).toMatchObject({ outcome: "grown", added: 1 });
  const growMs = performance.now() - again;
  const bytes = statSync(report.file ?? "").size;
  expect(
    readFileSync(report.file ?? "")
      .subarray(-20)
      .toString(),
  ).toBe("**User**: one more\n\n");
  console.log(JSON.stringify({ turns, seconds, growMs, bytes, rssBefore: before, rssPeak: peak }));
  expect(peak - before).toBeLessThan(300 * MEGABYTE);
});
