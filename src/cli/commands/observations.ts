// `throughline observations`: what was learned, newest first.

import { type ObservationType, observationTypes, ThroughlineError } from "../../lib/index.ts";
import { hitFrom } from "../../search/index.ts";
import { defineCommand } from "../command.ts";
import { hitLines } from "../finding/lines.ts";
import { filterArgs, fullFilter, wholeNumber, withReading } from "../finding/reading.ts";

function typeNamed(word: string | undefined): { readonly type?: ObservationType } {
  if (word === undefined) return {};
  const type = observationTypes.find((known) => known === word);
  if (type === undefined) {
    throw new ThroughlineError("usage", `there is no type ${word}`, {
      fix: `one of ${observationTypes.join(", ")}`,
    });
  }
  return { type };
}

export default defineCommand({
  args: {
    ...filterArgs,
    type: { type: "string", valueHint: "type", description: "only of this type" },
    limit: { type: "string", valueHint: "n", description: "how many, 50 unless given" },
    cursor: { type: "string", valueHint: "cursor", description: "go on after an earlier page" },
  },
  examples: [
    { line: "throughline observations --project .", does: "the newest of this project" },
    { line: "throughline observations --type decision --json", does: "decisions, for a program" },
  ],
  async run({ args }) {
    const { project, session, from, to, cursor } = args;
    const filter = await fullFilter({ project, session, from, to });
    const limit = wholeNumber("limit", args.limit);
    const page = await withReading((store) =>
      store.observations({
        ...filter,
        ...typeNamed(args.type),
        ...(cursor === undefined ? {} : { cursor }),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
    const hits = page.items.map((row) => hitFrom({ kind: "observation", row }, { layer: "index" }));
    const more = page.next === undefined ? [] : [`There is more: --cursor ${page.next}`];
    return {
      data: page,
      text: hits.length === 0 ? "Nothing was observed yet." : [hitLines(hits), ...more].join("\n"),
    };
  },
});
