// `throughline show`: items by their refs, whole.
import { ThroughlineError } from "../../lib/index.ts";
import { defineCommand } from "../command.ts";
import { hitLines } from "../finding/lines.ts";
import { askFinder } from "../finding/reading.ts";
import { exitCodes } from "../output.ts";

export default defineCommand({
  args: {},
  rest: "refs",
  examples: [
    { line: "throughline show '#12' S3", does: "an observation and a summary" },
    { line: "throughline show 12 13 14 --json", does: "observations, for a program" },
  ],
  async run({ rest }) {
    if (rest.length === 0) {
      throw new ThroughlineError("usage", "show needs refs", {
        fix: "as search and timeline print them: '#12', S3, P7, M40",
      });
    }
    const found = await askFinder("show", { refs: rest });
    const missing = found.missing.map((ref) => `There is nothing named ${ref}.`);
    return {
      data: found,
      text: [hitLines(found.items), ...missing].filter((part) => part !== "").join("\n"),
      exitCode: found.items.length === 0 ? exitCodes.failure : exitCodes.ok,
    };
  },
});
