// `throughline memory history`: what was changed, when, and the id that undo takes.

import { findMemory, historyOf, readFolder } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { columns } from "../../output.ts";
import { localMinute } from "../../wording.ts";
import { dirArgument, here } from "./context.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: false, description: "one memory; all unless given" },
    ...dirArgument,
  },
  examples: [{ line: "throughline memory history release-freeze", does: "the changes of one memory" }],
  run({ args }) {
    const { place } = here(args.dir);
    const changes = historyOf(place, args.name === undefined ? undefined : fileOf(args.name));
    const rows = changes.map(({ id, at, action, steps }) => [
      localMinute(at),
      action.split(" ")[0] ?? "",
      steps.map(({ file }) => file).join(", "),
      id,
    ]);
    return { data: { changes }, text: rows.length === 0 ? "nothing was changed yet" : columns(rows) };

    /** Also of a memory that is gone. */
    function fileOf(name: string): string {
      const known = historyOf(place).flatMap(({ steps }) => steps.map(({ file }) => file));
      const file = name.endsWith(".md") ? name : `${name}.md`;
      return known.includes(file) ? file : findMemory(readFolder(place), name).file;
    }
  },
});
