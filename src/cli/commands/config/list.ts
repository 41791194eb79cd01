// `throughline config list`: every setting in effect.
import { describeOrigin } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";
import { columns, plain } from "../../output.ts";
import { currentConfig } from "../../surroundings.ts";
import { paint } from "../../terminal.ts";

export default defineCommand({
  args: {
    origin: { type: "boolean", description: "say where each value comes from" },
  },
  examples: [
    { line: "throughline config list", does: "every setting and its value" },
    {
      line: "throughline config list --origin",
      does: "with the file and line, variable or default behind it",
    },
    { line: "throughline config list --json", does: "the same for a program, origins included" },
  ],
  run({ args }) {
    const { origins } = currentConfig();
    const rows = origins.map(({ key, value, origin }) => [
      key,
      plain(value),
      ...(args.origin ? [paint("dim", describeOrigin(origin))] : []),
    ]);
    return { data: { settings: origins }, text: columns(rows) };
  },
});
