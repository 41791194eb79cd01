// `throughline memory consolidate`: what the daily logs suggest; only what is named is saved.
import { ThroughlineError } from "../../../lib/index.ts";
import {
  candidateRules,
  consolidate,
  inWords,
  keepWordings,
  type LogEntry,
  type MemoryCandidate,
  type MemoryPlace,
  openFolder,
  readLogs,
  readWordings,
  saveMemory,
  type Wordings,
  wordCandidates,
} from "../../../memdir/index.ts";
import { defineCommand } from "../../command.ts";
import { configuredModel } from "../../languageModel.ts";
import { paint } from "../../terminal.ts";
import { dirArgument, given, here, savedReport } from "./context.ts";

/** What is known already, and what the model of the settings says to the rest. Its failure is a line, and no error. */
async function wordingsFor(
  place: MemoryPlace,
  candidates: readonly MemoryCandidate[],
  entries: readonly LogEntry[],
): Promise<{ wordings: Wordings; problem?: string }> {
  const known = readWordings(place);
  const open = candidates.filter(({ id }) => !known.has(id));
  const configured = open.length === 0 ? undefined : configuredModel();
  if (configured === undefined) return { wordings: known };
  const { model, redact } = configured;
  const { wordings: made, problem } = await wordCandidates({ candidates: open, entries, model, redact });
  const wordings = new Map([...known, ...made]);
  if (made.size > 0) keepWordings(place, wordings, candidates);
  return { wordings, ...(problem === undefined ? {} : { problem }) };
}

function linesFor(
  { id, rule, type, name, description, body, sources, needs }: MemoryCandidate,
  plain?: MemoryCandidate,
): string[] {
  return [
    `${id}  ${type}  ${name} — ${description}`,
    `  ${body.replace(/\n/g, "\n  ")}`,
    `  ${rule}: ${candidateRules[rule]}; from ${sources.join(", ")}`,
    ...(needs.length === 0 ? [] : [`  needs ${needs.join(" and ")}`]),
    ...(plain === undefined ? [] : [paint("dim", `  in a model's words; as it was logged: ${plain.id}`)]),
  ];
}

export default defineCommand({
  args: {
    accept: { type: "string", valueHint: "id", description: "save this candidate" },
    description: { type: "string", description: "with --accept: a better line for the index" },
    body: {
      type: "string",
      valueHint: "TEXT|-",
      description: "with --accept: the text with what it still lacks",
    },
    plain: { type: "boolean", description: "ask no model for better words" },
    ...dirArgument,
  },
  examples: [
    { line: "throughline memory consolidate", does: "candidates, each with the rule that allowed it" },
    { line: "throughline memory consolidate --accept 3f9a0c12", does: "save one of them" },
  ],
  async run({ args }) {
    const { place, instructions } = here(args.dir);
    const { memories } = await openFolder(place);
    const entries = readLogs(place);
    const { candidates, dropped } = consolidate(entries, memories, instructions);
    const { accept } = args;
    const { wordings, problem } =
      accept !== undefined || args.plain
        ? { wordings: args.plain ? new Map() : readWordings(place), problem: undefined }
        : await wordingsFor(place, candidates, entries);
    const shown = candidates.map((plain) => {
      const wording = wordings.get(plain.id);
      return wording === undefined ? plain : { ...inWords(plain, wording), plain };
    });
    if (accept === undefined) {
      const summary = `${candidates.length} candidates, ${dropped.length} entries left where they are; nothing was saved`;
      const lines = shown.flatMap((each) => linesFor(each, "plain" in each ? each.plain : undefined));
      const note =
        problem === undefined ? [] : [paint("yellow", `no better words from the model: ${problem}`)];
      return { data: { candidates: shown, dropped, problem }, text: [...lines, ...note, summary].join("\n") };
    }
    const chosen = [...shown, ...candidates].find(({ id }) => id === accept);
    if (chosen === undefined)
      throw new ThroughlineError("not-found", `there is no candidate ${accept}, or its words have changed`, {
        fix: "throughline memory consolidate",
      });
    const { name, type, author } = chosen;
    const body = args.body === undefined ? chosen.body : await given(args.body);
    const description = args.description ?? chosen.description;
    return savedReport(await saveMemory(place, { name, description, type, body, author }, { instructions }));
  },
});
