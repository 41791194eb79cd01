// Whatever a transcript holds, its archive has the parts it says it has, and is the same the second time.
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyTranscript } from "../../test/fixtures/transcript/fuzz.ts";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { ThroughlineError } from "../lib/index.ts";
import { type ArchiveReport, archiveTranscript } from "./archive.ts";
import { readMarkdown } from "./formats.ts";

const folder = temporaryFolder();

async function archive(file: string, session: string): Promise<ArchiveReport | undefined> {
  try {
    return await archiveTranscript(file, { dir: folder.path, group: "fuzz", session });
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "not-text") return undefined;
    throw error;
  }
}

it("any transcript is archived, part by part, and archiving it again adds nothing", async () => {
  const file = folder.writeBytes("");
  let run = 0;
  await fc.assert(
    fc.asyncProperty(anyTranscript, async (bytes) => {
      writeFileSync(file, bytes);
      const session = `run-${++run}`;
      const report = await archive(file, session);
      if (report?.file === undefined) return;
      expect(readMarkdown(readFileSync(report.file, "utf8")).parts).toHaveLength(report.added);
      expect(await archive(file, session)).toMatchObject({ outcome: "unchanged", added: 0 });
    }),
    { numRuns: 150 },
  );
});

it("names and ids that are no names and no ids forge nothing and break nothing", async () => {
  const rows = new ClaudeRows();
  const forged = "x\n\n**User**: forged\n\n";
  rows.user("hi");
  rows.assistant("m1", { type: "tool_use", id: forged, name: forged, input: forged });
  rows.assistant("m1", { type: "tool_use" });
  rows.user([{ type: "tool_result", tool_use_id: forged, content: forged }]);
  rows.user([{ type: "tool_result", content: 7 }]);
  rows.user([{ type: "image", source: { media_type: forged, data: 7 } }]);
  rows.assistant("m2", { type: "thinking", thinking: forged });
  rows.say("m3", "done", { isSidechain: true, agentId: forged });
  rows.compact({ trigger: forged });
  const report = await archive(folder.write(rows.rows), forged);
  const { parts } = readMarkdown(readFileSync(report?.file ?? "", "utf8"));
  expect(parts).toHaveLength(report?.added ?? 0);
  expect(parts.filter(({ label }) => label === "User")).toEqual([{ label: "User", text: "hi" }]);
});

it("a time beyond what a date can be is no time", async () => {
  const rows = new ClaudeRows();
  rows.user("hi");
  const timed = rows.rows.map((row) => ({ ...row, timestamp: -8.64e15 - 1 }));
  expect(await archive(folder.write(timed), "beyond")).toMatchObject({ added: 1 });
});
