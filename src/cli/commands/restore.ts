// `throughline restore`: a backup in the place of what is kept, which stays aside and can be put back.
import { statSync } from "node:fs";
import path from "node:path";
import { type RestoredSet, restoreSet, undoRestore } from "../../backup/index.ts";
import { databaseFile } from "../../home/index.ts";
import { withoutWorker } from "../../ipc/index.ts";
import { systemClock, ThroughlineError } from "../../lib/index.ts";
import { restoreStore } from "../../store/index.ts";
import { defineCommand, type Report } from "../command.ts";
import { surroundings } from "../surroundings.ts";
import { localMinute } from "../wording.ts";
import { memoryFolderOf } from "./data/memories.ts";
import { countingLine } from "./data/progress.ts";

const UNDO = "throughline restore --undo puts it back; delete it when you are content.";

const asideLines = (replaced: RestoredSet["replaced"]): string[] =>
  replaced.map(({ target, aside }) => `What was in ${target} is now in ${aside}.`);

async function restoreOne(from: string): Promise<Report> {
  const file = databaseFile(surroundings().home);
  const { events, previous } = await restoreStore({ file, from, now: systemClock.now() });
  const kept =
    previous === undefined ? "" : `\nWhat was there is now ${previous}; delete it when you are content.`;
  return {
    data: { file, from, events, previous: previous ?? null },
    text: `${file} holds the ${events} events of the backup.${kept}`,
  };
}

async function restoreAll(from: string, withConfig: boolean): Promise<Report> {
  const { home } = surroundings();
  const line = countingLine("checked");
  const request = { home, from, now: systemClock.now(), memoryOf: memoryFolderOf, withConfig };
  const restored = await restoreSet({ ...request, onProgress: line.show }).finally(line.clear);
  const { at, events, replaced, left } = restored;
  return {
    data: { from, ...restored },
    text: [
      `${home.data} is as it was at ${localMinute(at)}, with ${events} events.`,
      ...asideLines(replaced),
      ...(replaced.length === 0 ? [] : [UNDO]),
      ...left.map((work) => `The memories of ${work} stay in the backup: other ones are in their place.`),
    ].join("\n"),
  };
}

async function takeBack(): Promise<Report> {
  const replaced = await undoRestore(surroundings().home, systemClock.now());
  return {
    data: { undone: true, replaced },
    text: ["The restore was taken back.", ...asideLines(replaced)].join("\n"),
  };
}

export default defineCommand({
  args: {
    backup: {
      type: "positional",
      required: false,
      description: "a backup: a folder, or a file of the database",
    },
    config: { type: "boolean", description: "also put the settings of the backup in place" },
    undo: { type: "boolean", description: "take the last restore of a folder back" },
  },
  examples: [
    { line: "throughline restore /media/stick/throughline", does: "put everything in its place" },
    { line: "throughline restore --undo", does: "put back what was there before" },
    {
      line: "throughline restore /media/stick/throughline.db",
      does: "put a copy of the database in its place",
    },
  ],
  async run({ args }) {
    const { home, cwd } = surroundings();
    if (args.undo) return withoutWorker(home, takeBack);
    if (args.backup === undefined) {
      throw new ThroughlineError("usage", "restore needs a backup", {
        fix: "throughline restore FOLDER; automatic backups are in backups/auto in the data folder",
      });
    }
    const from = path.resolve(cwd, args.backup);
    const found = statSync(from, { throwIfNoEntry: false });
    if (found === undefined)
      throw new ThroughlineError("not-found", `no file ${from}`, { fix: "check the path" });
    return withoutWorker(home, () =>
      found.isDirectory() ? restoreAll(from, args.config === true) : restoreOne(from),
    );
  },
});
