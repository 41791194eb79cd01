// `throughline backup`: everything that is kept, as one set of files; or only the database, as one file.
import path from "node:path";
import { makeSet } from "../../backup/index.ts";
import { systemClock } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { surroundings } from "../surroundings.ts";
import { counted } from "../wording.ts";
import { megabytes, stamp, withDatabase } from "./data/database.ts";
import { memoryFolderOf } from "./data/memories.ts";
import { countingLine } from "./data/progress.ts";

export default defineCommand({
  args: {
    folder: {
      type: "positional",
      required: false,
      description:
        "a folder that does not exist yet; unless given, one in `backups` in the data folder. A name that ends in .db gets the database alone, as one file",
    },
  },
  examples: [
    { line: "throughline backup", does: "a set in the data folder, named after the time" },
    { line: "throughline backup /media/stick/throughline", does: "a set where you want it" },
    { line: "throughline backup /media/stick/throughline.db", does: "only the database" },
  ],
  async run({ args }) {
    const { home, cwd } = surroundings();
    const now = systemClock.now();
    const usual = path.join(home.data, "backups", `throughline-backup-${stamp(now)}`);
    const target = args.folder === undefined ? usual : path.resolve(cwd, args.folder);
    if (target.endsWith(".db")) {
      const { bytes } = await withDatabase((store) => store.backup(target));
      const text = `${target} (${megabytes(bytes)})\nIt holds the database alone; throughline backup FOLDER covers everything.`;
      return { data: { file: target, bytes }, text };
    }
    const line = countingLine("copied");
    const made = await makeSet({
      home,
      target,
      now,
      memoryOf: memoryFolderOf,
      onProgress: line.show,
    }).finally(line.clear);
    const text = `${made.folder} (${counted(made.files, "file")}, ${megabytes(made.bytes)})\nIt holds the database, stored bytes, ledgers, notes, memories, archives and settings. throughline restore puts it back.`;
    return { data: made, text };
  },
});
