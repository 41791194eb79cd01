// `throughline memory rm`: a memory and its line go; the history keeps the bytes.
import { findMemory, openFolder, removeMemory } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here } from "./here.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: true, description: "its file, its name, or the beginning of it" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory rm release-freeze", does: "`throughline memory undo` brings it back" },
  ],
  async run({ args }) {
    const { place } = here(args.dir);
    const memory = findMemory(await openFolder(place), args.name);
    const change = await removeMemory(place, memory);
    return { data: { removed: memory.file, change: change?.id }, text: `removed ${memory.file}` };
  },
});
