// `throughline data export`: what is kept, as lines of JSON in a private file.
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { ensureFolder, ThroughlineError } from "../../../lib/index.ts";
import { defineCommand } from "../../command.ts";
import { surroundings } from "../../surroundings.ts";
import { scopeArgs, scopeFrom, withDatabase } from "./database.ts";

export default defineCommand({
  args: {
    file: { type: "positional", required: true, description: "a file that does not exist yet" },
    ...scopeArgs,
  },
  examples: [
    { line: "throughline data export everything.jsonl", does: "all that is in the database" },
    { line: "throughline data export app.jsonl --project my-app", does: "one project" },
    { line: "throughline data export october.jsonl --from 2026-10-01 --to 2026-11-01", does: "one month" },
  ],
  async run({ args }) {
    const file = path.resolve(surroundings().cwd, args.file);
    if (existsSync(file)) {
      throw new ThroughlineError("usage", `${file} exists already`, {
        fix: "name a file that does not exist",
      });
    }
    ensureFolder(path.dirname(file));
    const unfinished = `${file}.${process.pid}.tmp`;
    let lines = 0;
    try {
      await withDatabase(async (store) => {
        const scope = await scopeFrom(store, args);
        const ended = async function* () {
          for await (const line of store.exportLines(scope)) {
            lines += 1;
            yield `${line}\n`;
          }
        };
        await pipeline(ended, createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true }));
      });
      renameSync(unfinished, file);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    // The first line and the last are about the file itself.
    return { data: { file, rows: lines - 2 }, text: `${file}: ${lines - 2} rows` };
  },
});
