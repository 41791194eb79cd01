// `throughline memory rm`: a memory and its line go, and the history keeps the bytes; or a text in quarantine is thrown away.
import {
  dropQuarantined,
  findMemory,
  findQuarantined,
  openFolder,
  removeMemory,
} from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here } from "./context.ts";

export default defineCommand({
  args: {
    name: {
      type: "positional",
      required: true,
      description: "its file, its name, or the beginning of it; or the id of a text in quarantine",
    },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory rm release-freeze", does: "`throughline memory undo` brings it back" },
    { line: "throughline memory rm qua_0m8x7k2p", does: "throw away what was put aside, for good" },
  ],
  async run({ args }) {
    const { place } = here(args.dir);
    if (/^qua_\w+$/.test(args.name)) {
      const entry = findQuarantined(place, args.name);
      dropQuarantined(place, entry);
      return { data: { rejected: entry.id }, text: `threw ${entry.id} away` };
    }
    const memory = findMemory(await openFolder(place), args.name);
    const change = await removeMemory(place, memory);
    return { data: { removed: memory.file, change: change?.id }, text: `removed ${memory.file}` };
  },
});
