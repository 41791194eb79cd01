// `throughline config set`: one setting changed in a file, comments kept.
import { setSetting } from "../../../config/index.ts";
import { changeReport, projectArg, scopeOf } from "../../changes.ts";
import { defineCommand } from "../../command.ts";
import { surroundings } from "../../surroundings.ts";

export default defineCommand({
  args: {
    key: { type: "positional", required: true, description: "dotted name, such as replay.ttl" },
    value: { type: "positional", required: true, description: "the new value; objects as JSON" },
    ...projectArg,
  },
  examples: [
    { line: "throughline config set policy seed", does: "in your own file" },
    { line: "throughline config set snapshot.hours 8 --project", does: "in the project's file" },
    { line: "throughline config set models.my-model.like claude-haiku-5-5", does: "a model of your own" },
  ],
  run({ args }) {
    return changeReport(
      setSetting({ ...surroundings(), scope: scopeOf(args.project) }, args.key, args.value),
    );
  },
});
