// `throughline config untrust`: the project's file counts no more, but for what only narrows.
import { configFiles, untrust } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";
import { surroundings } from "../../surroundings.ts";

export default defineCommand({
  args: {},
  examples: [{ line: "throughline config untrust", does: "the file of the project in this folder" }],
  run() {
    const { home, cwd } = surroundings();
    const { file, exists } = configFiles(home, cwd).project;
    const changed = exists && untrust(home, file);
    return {
      data: { file, changed },
      text: changed ? `not trusted any more: ${file}` : `${file} was not trusted`,
    };
  },
});
