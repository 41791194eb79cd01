// `throughline timeline`: what happened before and after something.
import { ThroughlineError } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { hitLines } from "../finding/lines.ts";
import { askFinder, filterArgs, fullFilter, wholeNumber } from "../finding/reading.ts";

export default defineCommand({
  args: {
    project: filterArgs.project,
    session: filterArgs.session,
    before: { type: "string", valueHint: "n", description: "how many before it, 10 unless given" },
    after: { type: "string", valueHint: "n", description: "how many after it, 10 unless given" },
    layer: { type: "string", valueHint: "layer", description: "how much of each: index, context or full" },
  },
  rest: "around",
  examples: [
    { line: "throughline timeline '#12'", does: "around an observation" },
    { line: "throughline timeline 2026-11-16T09:30:00Z --before 3", does: "around a time" },
    { line: "throughline timeline the login that failed", does: "around the best answer to some words" },
  ],
  async run({ args, rest }) {
    const around = rest.join(" ");
    if (around === "") {
      throw new ThroughlineError("usage", "timeline needs something to stand around", {
        fix: "a ref such as '#12', a time, or words",
      });
    }
    const { project, session, layer } = args;
    const found = await askFinder("timeline", {
      around,
      layer,
      ...(await fullFilter({ project, session })),
      before: wholeNumber("before", args.before),
      after: wholeNumber("after", args.after),
    });
    const text = found.items.length === 0 ? "Nothing was found." : hitLines(found.items, found.middle);
    return { data: found, text };
  },
});
