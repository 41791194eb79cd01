// `throughline config get`: one setting in effect.
import { readSetting } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";
import { plain } from "../../output.ts";
import { currentConfig } from "../../surroundings.ts";

export default defineCommand({
  args: {
    key: { type: "positional", required: true, description: "dotted name, such as replay.ttl" },
  },
  examples: [
    { line: "throughline config get policy", does: "the value alone, for scripts" },
    { line: "throughline config get replay.ttl --json", does: "with its key" },
  ],
  run({ args }) {
    const value = readSetting(currentConfig(), args.key);
    return { data: { key: args.key, value }, text: plain(value) };
  },
});
