// Session notes under kill -9: what every round must find, for the short run and the long one.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { readNotes, readNotesState } from "../../src/compact/index.ts";
import { killLoop } from "./killLoop.ts";
import { messageOf, pageOf, stepOf } from "./notesPages.ts";

interface NotesTally {
  readonly kills: number;
  readonly steps: number;
  /** Rounds that ended between the page and its state. */
  readonly between: number;
}

/** After each kill a page stands there whole, no older than confirmed, with the state of its own step or the one before. */
export async function killNotesWriters(folder: string, kills: number, seed: number): Promise<NotesTally> {
  const notes = path.join(folder, "session-memory");
  let [confirmed, between] = [0, 0];
  await killLoop({
    entry: fileURLToPath(new URL("./notesWriter.ts", import.meta.url)),
    args: () => [notes],
    kills,
    seed,
    onRound: ({ confirmed: [lines = []] }) => {
      confirmed = Math.max(confirmed, Number(lines.at(-1) ?? 0));
      const found = readNotes(notes);
      const page = stepOf(found?.text);
      expect(found?.text).toBe(pageOf(page));
      expect([confirmed, confirmed + 1]).toContain(page);
      // Never ahead of its page: messages would be taken for noted that are not.
      const reach = stepOf(found?.lastSummarizedId);
      expect([page - 1, page]).toContain(reach);
      expect(found?.lastSummarizedId).toBe(messageOf(reach));
      expect(readNotesState(notes)).toMatchObject({ by: "model", size: { tokens: reach } });
      if (reach < page) between += 1;
      confirmed = page;
    },
  });
  return { kills, steps: confirmed, between };
}
