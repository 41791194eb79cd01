// `throughline memory undo`: the last change, or one that is named, taken back.
import { undoChange } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, here } from "./context.ts";

export default defineCommand({
  args: {
    id: { type: "positional", required: false, description: "a change; the last one unless given" },
    ...dirArgument,
  },
  examples: [{ line: "throughline memory undo", does: "bring back what the last change took" }],
  async run({ args }) {
    const { place } = here(args.dir);
    const { undone, change } = await undoChange(place, args.id === undefined ? {} : { id: args.id });
    const files = undone.steps.map(({ file }) => file).join(", ");
    return {
      data: { undone: undone.id, change: change.id, files },
      text: `undid ${undone.action} of ${files}`,
    };
  },
});
