// `throughline config path`: where the files are, or would be.
import { configFiles } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";
import { columns } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline config path", does: "your file and the project's" },
    { line: "throughline config path --json", does: "the same for a program" },
  ],
  run() {
    const { home, cwd } = surroundings();
    const files = configFiles(home, cwd);
    const rows = Object.entries(files).map(([scope, { file, exists }]) => [
      scope,
      exists ? file : `${file} (not there yet)`,
    ]);
    return { data: files, text: columns(rows) };
  },
});
