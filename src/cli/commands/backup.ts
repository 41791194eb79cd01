// `throughline backup`: a whole copy of the database, of one instant.
import path from "node:path";
import { systemClock } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { surroundings } from "../surroundings.ts";
import { megabytes, stamp, withDatabase } from "./data/database.ts";

export default defineCommand({
  args: {
    file: {
      type: "positional",
      required: false,
      description: "a file that does not exist yet; unless given, one in `backups` beside the database",
    },
  },
  examples: [
    { line: "throughline backup", does: "a copy beside the database, named after the time" },
    { line: "throughline backup /media/stick/throughline.db", does: "a copy where you want it" },
  ],
  async run({ args }) {
    const { home, cwd } = surroundings();
    const usual = path.join(home.data, "backups", `throughline-${stamp(systemClock.now())}.db`);
    const file = args.file === undefined ? usual : path.resolve(cwd, args.file);
    const { bytes } = await withDatabase((store) => store.backup(file));
    const text = `${file} (${megabytes(bytes)})\nIt holds the database; stored bytes and ledgers are files of their own in ${home.data}.`;
    return { data: { file, bytes }, text };
  },
});
