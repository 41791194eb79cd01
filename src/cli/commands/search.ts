// `throughline search`: one question over everything that is kept.
import { defineCommand } from "../command.ts";
import { hitLines } from "../finding/lines.ts";
import { askFinder, filterArgs, fullFilter, wholeNumber } from "../finding/reading.ts";

export default defineCommand({
  args: {
    ...filterArgs,
    kind: {
      type: "string",
      valueHint: "kinds",
      description: "only these: observation, summary, prompt, message, memory",
    },
    type: { type: "string", valueHint: "types", description: "only observations of these types" },
    file: { type: "string", valueHint: "path", description: "only observations about this file" },
    concept: { type: "string", valueHint: "word", description: "only observations with this concept" },
    limit: { type: "string", valueHint: "n", description: "how many, 20 unless given" },
    offset: { type: "string", valueHint: "n", description: "how many to pass over" },
    layer: { type: "string", valueHint: "layer", description: "how much of each: index, context or full" },
    explain: { type: "boolean", description: "say why each was found" },
  },
  rest: "query",
  examples: [
    { line: "throughline search why did we drop the retry queue", does: "plain words, best answers first" },
    { line: "throughline search '\"user auth\" AND (JWT OR session) NOT deprecated'", does: "exactly that" },
    { line: "throughline search title:login --type bugfix,decision", does: "in a column, of some types" },
    { line: "throughline search 数据库 连接 --project . --explain", does: "in this project, with reasons" },
  ],
  async run({ args, rest }) {
    const { project, session, from, to, kind, type, file, concept, layer, explain } = args;
    const answer = await askFinder("search", {
      query: rest.join(" "),
      ...(await fullFilter({ project, session, from, to })),
      kind,
      type,
      file,
      concept,
      layer,
      explain,
      limit: wholeNumber("limit", args.limit),
      offset: wholeNumber("offset", args.offset),
    });
    const ending = [
      ...(answer.hits.length === 0 ? ["Nothing was found."] : []),
      ...(answer.more ? ["There is more; --offset goes on."] : []),
      ...answer.notes,
    ];
    return {
      data: answer,
      text: [hitLines(answer.hits), ...ending].filter((part) => part !== "").join("\n"),
    };
  },
});
