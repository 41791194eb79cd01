// `throughline snapshot show`: the text of a snapshot, or what the model would be told of it.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { ThroughlineError } from "../../../lib/index.ts";
import { CONTEXT_LIMIT, digestOf, listSnapshots, readSnapshotKey } from "../../../snapshot/index.ts";
import { defineCommand } from "../../command.ts";
import { here, projectArgument } from "./context.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: false, description: "a part of its name; the newest unless given" },
    ...projectArgument,
    digest: { type: "boolean", description: "what the model is told of it" },
  },
  examples: [
    { line: "throughline snapshot show", does: "the newest one" },
    { line: "throughline snapshot show 20260801 --digest", does: "what the model is told of one" },
  ],
  run({ args }) {
    const { home, project, settings } = here(args.project);
    const wanted = args.name ?? "";
    const found = listSnapshots(project, readSnapshotKey(home)).find(
      ({ name, isLink }) => !isLink && name.includes(wanted),
    );
    if (!found) {
      const which = wanted === "" ? "no snapshot" : `no snapshot ${wanted}`;
      throw new ThroughlineError("not-found", `there is ${which} in ${project}`, {
        fix: "`throughline snapshot list` shows what is there; `throughline recall` has what was cleaned up",
      });
    }
    const whole = readFileSync(found.file, "utf8");
    const { file, handles } = found;
    const nonce = randomBytes(4).toString("hex");
    const options = { file, handles, language: settings.language, budget: CONTEXT_LIMIT, nonce };
    const text = args.digest ? digestOf(whole, options) : whole;
    return { data: { file, session: found.session ?? null, whole: found.whole, text }, text };
  },
});
