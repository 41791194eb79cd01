// `throughline config list`: every setting in effect.
import { describeOrigin } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";
import { columns, plain } from "../../output.ts";
import { currentConfig } from "../../surroundings.ts";
import { paint } from "../../terminal.ts";

const reasons = {
  untrusted: "not trusted, see `throughline config trust`",
  "not-project": "no project may set it",
  outside: "a project excludes only folders of its own",
} as const;

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
    const { origins, project } = currentConfig();
    const rows = origins.map(({ key, value, origin }) => [
      key,
      plain(value),
      ...(args.origin ? [paint("dim", describeOrigin(origin))] : []),
    ]);
    const ignored = (project?.ignored ?? []).map(({ key, value, line, why }) => [
      key,
      plain(value),
      paint("yellow", `ignored (${reasons[why]}): ${project?.file}:${line}`),
    ]);
    const problems = (project?.problems ?? []).map((problem) =>
      paint("yellow", `${project?.file}: ${problem}`),
    );
    const shown = args.origin ? [...rows, ...ignored] : rows;
    return {
      data: { settings: origins, project: project ?? null },
      text: [columns(shown), ...(args.origin ? problems : [])].join("\n"),
    };
  },
});
