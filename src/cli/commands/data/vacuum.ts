// `throughline data vacuum`: free space of the database back to the disk.
import { defineCommand } from "../../command.ts";
import { megabytes, withDatabase } from "./database.ts";

export default defineCommand({
  args: {},
  examples: [{ line: "throughline data vacuum", does: "shrink the file to what it holds" }],
  async run() {
    const sizes = await withDatabase((store) => store.vacuum());
    return { data: sizes, text: `${megabytes(sizes.before)} before, ${megabytes(sizes.after)} now` };
  },
});
