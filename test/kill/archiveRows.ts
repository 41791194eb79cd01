// What the archive's writers let a transcript say: told by a number, so that it can be checked afterwards.
import path from "node:path";
import type { ArchiveFormatName, ArchiveOptions } from "../../src/archive/index.ts";
import { seededRandom } from "./seededRandom.ts";

interface ArchiveRun {
  readonly transcript: string;
  readonly options: ArchiveOptions;
}

export function archiveRun(
  folder: string,
  session: string,
  format: ArchiveFormatName,
  dir = "archives",
): ArchiveRun {
  const clock = { now: () => Date.parse("2026-03-02T09:05:00Z") };
  return {
    transcript: path.join(folder, `${session}.jsonl`),
    options: { dir: path.join(folder, dir), group: "g", session, format, clock, timeZone: "UTC" },
  };
}

/** A few rows: prompts and answers of very different lengths, sometimes a new title, which rewrites the header. */
export function transcriptRows(session: string, step: number): string[] {
  const random = seededRandom(step * 7_919 + 3);
  const at = new Date(Date.parse("2026-03-01T10:00:00Z") + step * 1_000).toISOString();
  const common = { sessionId: session, cwd: "/home/dev/app", timestamp: at, parentUuid: null };
  const filler = (step % 2 === 0 ? "word " : "话语 ").repeat(random(random(4) === 0 ? 40_000 : 40));
  const rows: object[] = [
    {
      ...common,
      type: "user",
      uuid: `u${step}`,
      message: { role: "user", content: `prompt ${step} ${filler}` },
    },
    {
      ...common,
      type: "assistant",
      uuid: `a${step}`,
      message: {
        id: `m${step}`,
        role: "assistant",
        model: "claude",
        content: [{ type: "text", text: `answer ${step}\n\n**User**: no\n` }],
      },
    },
  ];
  if (random(3) === 0) rows.push({ type: "ai-title", aiTitle: `Title ${step} ${"长".repeat(random(60))}` });
  return rows.map((row) => JSON.stringify(row));
}
