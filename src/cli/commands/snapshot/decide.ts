// `throughline snapshot decide`: what becomes of the project's snapshot when a session starts, said and done.
import { systemClock } from "../../../lib/index.ts";
import { provenanceOf, readSource, startSession } from "../../../snapshot/index.ts";
import { defineCommand } from "../../command.ts";
import { here, projectArgument } from "./context.ts";

export default defineCommand({
  args: {
    ...projectArgument,
    source: {
      type: "enum",
      options: ["startup", "resume", "clear", "fork", "compact"],
      default: "startup",
      description: "why the session starts",
    },
    session: { type: "string", default: "", valueHint: "id", description: "the session that starts" },
    "dry-run": { type: "boolean", description: "say it, and change nothing" },
  },
  examples: [
    { line: "throughline snapshot decide", does: "as a new session would: expired snapshots are removed" },
    { line: "throughline snapshot decide --source clear --dry-run", does: "what /clear would do" },
  ],
  async run({ args }) {
    const { home, project, settings, keep } = here(args.project);
    const { lines, decision, file } = startSession({
      project,
      session: args.session,
      source: readSource(args.source),
      now: systemClock.now(),
      hours: settings.hours,
      language: settings.language,
      keep,
      ...(await provenanceOf(home, project)),
      dryRun: args["dry-run"] === true,
    });
    return { data: { ...decision, file: file ?? null, lines }, text: lines.join("\n") };
  },
});
