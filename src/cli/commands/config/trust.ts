// `throughline config trust`: lets the project's file count, after a person has seen what it says.
import {
  checkTrustable,
  configFiles,
  type LoadedConfig,
  loadConfig,
  readProjectText,
  trustContent,
} from "../../../config/index.ts";
import { ThroughlineError } from "../../../lib/index.ts";
import { defineCommand } from "../../command.ts";
import { confirmed } from "../../confirm.ts";
import { columns, plain } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { isInteractive } from "../../terminal.ts";

type Project = NonNullable<LoadedConfig["project"]>;

/** What trusting the file changes. */
function detailsOf({ file, ignored }: Project): string {
  const counts = ignored.filter(({ why }) => why === "untrusted");
  const never = ignored.filter(({ why }) => why === "not-project").map(({ key }) => key);
  return [
    file,
    counts.length === 0
      ? "nothing in it waits for trust"
      : columns(counts.map(({ key, value, line }) => [key, plain(value), `line ${line}`])),
    ...(never.length === 0 ? [] : [`ignored all the same, no project may set: ${never.join(", ")}`]),
  ].join("\n");
}

export default defineCommand({
  args: {},
  examples: [{ line: "throughline config trust", does: "shows what the project's file sets, and asks" }],
  async run({ args }) {
    const { home, cwd, env } = surroundings();
    const { file, exists } = configFiles(home, cwd).project;
    if (!exists) {
      throw new ThroughlineError("not-found", `there is no ${file}`, {
        fix: "`throughline config set KEY VALUE --project` makes one, and trusts it",
      });
    }
    const { digest, trust } = readProjectText(home, file);
    checkTrustable(file, trust);
    const { project } = loadConfig({ home, cwd, env });
    if (project !== undefined && project.problems.length > 0) {
      throw new ThroughlineError("config-invalid", `${file}: ${project.problems.join("; ")}`, {
        fix: `edit ${file} first`,
      });
    }
    const report = { file, digest };
    if (trust === "trusted" || project === undefined)
      return { data: { ...report, trusted: true, changed: false }, text: `${file} is trusted already` };
    if (args.json === true || !isInteractive()) {
      throw new ThroughlineError(
        "usage",
        "a file is trusted by a person at a terminal, and by nothing else",
        {
          fix: "run `throughline config trust` there, or set the values in your own file: throughline config set KEY VALUE",
        },
      );
    }
    const details = detailsOf(project);
    const isYes = await confirmed({
      ...{ details, question: "Let this file count here?", isOffByDefault: true },
      ...{ yes: false, json: false },
    });
    if (!isYes) return { data: { ...report, trusted: false, changed: false }, text: "nothing was changed" };
    // By what was shown: a file that was changed meanwhile is not trusted.
    trustContent(home, file, digest);
    return {
      data: { ...report, trusted: true, changed: true },
      text: `trusted: ${file}; once it is changed, it has to be trusted again`,
    };
  },
});
