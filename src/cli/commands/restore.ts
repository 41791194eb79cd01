// `throughline restore`: a backup in the place of the database, which is kept beside it.
import path from "node:path";
import { databaseFile, systemClock } from "../../lib/index.ts";
import { restoreStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { surroundings } from "../surroundings.ts";

export default defineCommand({
  args: { file: { type: "positional", required: true, description: "a backup" } },
  examples: [
    {
      line: "throughline restore /media/stick/throughline.db",
      does: "put the backup in its place, with the worker stopped",
    },
  ],
  async run({ args }) {
    const { home, cwd } = surroundings();
    const from = path.resolve(cwd, args.file);
    const file = databaseFile(home);
    const { events, previous } = await restoreStore({ file, from, now: systemClock.now() });
    const kept =
      previous === undefined ? "" : `\nWhat was there is now ${previous}; delete it when you are content.`;
    return {
      data: { file, from, events, previous: previous ?? null },
      text: `${file} holds the ${events} events of the backup.${kept}`,
    };
  },
});
