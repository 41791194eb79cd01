// `throughline memory consolidate`: what the daily logs suggest; only what is named is saved.
import { ThroughlineError } from "../../../lib/index.ts";
import { candidateRules, consolidate, openFolder, readLogs, saveMemory } from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { dirArgument, given, here, savedReport } from "./here.ts";

export default defineCommand({
  args: {
    accept: { type: "string", valueHint: "id", description: "save this candidate" },
    description: { type: "string", description: "with --accept: a better line for the index" },
    body: {
      type: "string",
      valueHint: "TEXT|-",
      description: "with --accept: the text with what it still lacks",
    },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory consolidate", does: "candidates, each with the rule that allowed it" },
    { line: "throughline memory consolidate --accept 3f9a0c12", does: "save one of them" },
  ],
  async run({ args }) {
    const { place, instructions } = here(args.dir);
    const { memories } = await openFolder(place);
    const { candidates, dropped } = consolidate(readLogs(place), memories, instructions);
    if (args.accept === undefined) {
      const lines = candidates.flatMap(({ id, rule, type, name, body, sources, needs }) => [
        `${id}  ${type}  ${name}`,
        `  ${body.replace(/\n/g, "\n  ")}`,
        `  ${rule}: ${candidateRules[rule]}; from ${sources.join(", ")}`,
        ...(needs.length === 0 ? [] : [`  needs ${needs.join(" and ")}`]),
      ]);
      const summary = `${candidates.length} candidates, ${dropped.length} entries left where they are; nothing was saved`;
      return { data: { candidates, dropped }, text: [...lines, summary].join("\n") };
    }
    const { accept } = args;
    const chosen = candidates.find(({ id }) => id === accept);
    if (chosen === undefined)
      throw new ThroughlineError("not-found", `there is no candidate ${accept}`, {
        fix: "throughline memory consolidate",
      });
    const { name, type, author } = chosen;
    const body = args.body === undefined ? chosen.body : await given(args.body);
    const description = args.description ?? chosen.description;
    return savedReport(await saveMemory(place, { name, description, type, body, author }, { instructions }));
  },
});
