// `throughline config unset`: one setting taken out of a file, comments kept.
import { unsetSetting } from "../../../config/index.ts";
import { changeReport, projectArg, scopeOf } from "../../changes.ts";
import { defineCommand } from "../../command.ts";
import { surroundings } from "../../surroundings.ts";

export default defineCommand({
  args: {
    key: { type: "positional", required: true, description: "dotted name, such as replay.ttl" },
    ...projectArg,
  },
  examples: [
    { line: "throughline config unset policy", does: "back to what the other sources say" },
    { line: "throughline config unset replay.ttl --project", does: "in the project's file" },
  ],
  run({ args }) {
    return changeReport(unsetSetting({ ...surroundings(), scope: scopeOf(args.project) }, args.key));
  },
});
