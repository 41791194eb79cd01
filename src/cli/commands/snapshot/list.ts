// `throughline snapshot list`: which snapshots a project has, how old they are, and which is referred to.
import { HOUR, systemClock } from "../../../lib/index.ts";
import { listSnapshots, pages, provenanceOf, referenceIn, startSession } from "../../../snapshot/index.ts";
import { defineCommand } from "../../command.ts";
import { columns } from "../../output.ts";
import { ageOf } from "../../wording.ts";
import { here, projectArgument } from "./context.ts";

export default defineCommand({
  args: projectArgument,
  examples: [{ line: "throughline snapshot list", does: "those of the project in this folder" }],
  async run({ args }) {
    const { home, project, settings, keep } = here(args.project);
    const now = systemClock.now();
    const { hours: validity, language } = settings;
    const start = { project, session: "", source: "startup", now, hours: validity, language } as const;
    const provenance = await provenanceOf(home, project);
    // What the next session would remove is not valid, whatever the reason.
    const { remove } = startSession({ ...start, ...provenance, keep, dryRun: true }).decision;
    const references = pages.flatMap((page) => {
      const reference = referenceIn(project, page);
      return reference ? [{ page, name: reference.name }] : [];
    });
    const data = listSnapshots(project, provenance.key).map(
      ({ name, file, at, session, whole, ours, bytes }) => {
        const hours = at === undefined ? null : Math.round(((now - at) / HOUR) * 100) / 100;
        const page = references.find((reference) => reference.name === name)?.page ?? null;
        return {
          name,
          file,
          session: session ?? null,
          hours,
          valid: !remove.includes(name),
          whole,
          ours,
          bytes,
          page,
        };
      },
    );
    const rows = data.map(({ name, hours, valid, whole, ours, session, page }) => [
      name,
      hours === null ? "unknown age" : ageOf(hours),
      whole ? (valid ? (ours ? "valid" : "foreign: never loaded") : "expired") : "damaged",
      session ?? "unknown",
      page === null ? "" : `← ${page}`,
    ]);
    return { data, text: rows.length === 0 ? `no snapshot in ${project}` : columns(rows) };
  },
});
