// `throughline snapshot clean`: removes snapshots and references now; what they held stays in the vault.
import { systemClock } from "../../../lib/index.ts";
import { cleanSnapshots, provenanceOf, startSession } from "../../../snapshot/index.ts";
import { defineCommand } from "../../command.ts";
import { here, projectArgument } from "./context.ts";

export default defineCommand({
  args: {
    ...projectArgument,
    expired: { type: "boolean", description: "only those that no session would load any more" },
  },
  examples: [
    { line: "throughline snapshot clean", does: "all of them, and the reference" },
    { line: "throughline snapshot clean --expired", does: "only what is outdated" },
  ],
  async run({ args }) {
    const { home, project, settings, keep } = here(args.project);
    const { hours, language } = settings;
    const shared = {
      project,
      session: "",
      source: "startup",
      now: systemClock.now(),
      hours,
      language,
      keep,
      ...(await provenanceOf(home, project)),
    } as const;
    const { removed, unreferenced, lines } = args.expired ? startSession(shared) : cleanSnapshots(shared);
    const text = removed.length + unreferenced.length === 0 ? "nothing to clean up" : lines.join("\n");
    return { data: { removed, unreferenced }, text };
  },
});
