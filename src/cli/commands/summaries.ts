// `throughline summaries`: what turns came to, newest first.
import { hitFrom } from "../../search/index.ts";
import { defineCommand } from "../command.ts";
import { hitLines } from "../finding/lines.ts";
import { filterArgs, fullFilter, wholeNumber, withReading } from "../finding/reading.ts";

export default defineCommand({
  args: {
    ...filterArgs,
    limit: { type: "string", valueHint: "n", description: "how many, 50 unless given" },
    cursor: { type: "string", valueHint: "cursor", description: "go on after an earlier page" },
  },
  examples: [
    { line: "throughline summaries --project . --limit 10", does: "the last ten of this project" },
    { line: "throughline summaries --session 5f1c0d2e --json", does: "all of a session, for a program" },
  ],
  async run({ args }) {
    const { project, session, from, to, cursor } = args;
    const filter = await fullFilter({ project, session, from, to });
    const limit = wholeNumber("limit", args.limit);
    const page = await withReading((store) =>
      store.summaries({
        ...filter,
        ...(cursor === undefined ? {} : { cursor }),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
    const hits = page.items.map((row) => hitFrom({ kind: "summary", row }, { layer: "full" }));
    const more = page.next === undefined ? [] : [`There is more: --cursor ${page.next}`];
    return {
      data: page,
      text: hits.length === 0 ? "Nothing was summed up yet." : [hitLines(hits), ...more].join("\n"),
    };
  },
});
