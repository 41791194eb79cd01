// What the memory commands share: the memory folder of the project, and how a result is reported.
import path from "node:path";
import { text } from "node:stream/consumers";
import { languageOf, projectOf } from "../../../home/index.ts";
import { ThroughlineError } from "../../../lib/index.ts";
import type { ConfirmOutcome, LogOutcome, Obstacle, SaveOutcome } from "../../../memdir/index.ts";
import { instructionsFor, memoryFolderFor } from "../../../tools/index.ts";
import { type Report, value } from "../../command.ts";
import { commandContext, currentConfig } from "../../context.ts";
import { paint } from "../../terminal.ts";

export const dirArgument = {
  dir: value("folder", "the folder of memories, instead of the one in the settings"),
} as const;

export type MemoryContext = ReturnType<typeof memoryContext>;

/** The memory folder of this project, with the project's own instructions. */
export function memoryContext(dir: string | undefined) {
  const { home, cwd, env } = commandContext();
  const { values } = currentConfig();
  const { root } = projectOf(cwd);
  const owner = { home, env, folder: cwd };
  const { place, mode } = memoryFolderFor(owner, dir === undefined ? undefined : path.resolve(cwd, dir));
  const language = languageOf(values.locale, env);
  return { place, mode, language, root, instructions: instructionsFor(owner) };
}

/** The value, or standard input for `-`. */
export async function valueOrStdin(value: string) {
  return value === "-" ? await text(process.stdin) : value;
}

const obstacleCodes = {
  refused: "memory-refused",
  conflict: "memory-changed",
  "not-found": "not-found",
} as const;

function throwObstacle(outcome: Obstacle | Quarantined): never {
  if ("fix" in outcome)
    throw new ThroughlineError(obstacleCodes[outcome.outcome], outcome.message, outcome.fix);
  const reasons = outcome.suspicions.map(({ kind, evidence }) => `${kind}: ${evidence}`);
  throw new ThroughlineError(
    "memory-refused",
    `quarantined for review as ${outcome.id} (${reasons.join("; ")})`,
    `read it with \`throughline memory list --quarantine\`; \`throughline memory add --confirm ${outcome.id}\` saves it`,
  );
}

type Quarantined = Extract<SaveOutcome, { outcome: "quarantined" }>;

/** The outcome of a save. A refusal is an error with its fix. */
export function savedReport(outcome: ConfirmOutcome | LogOutcome | Obstacle): Report {
  if ("fix" in outcome || outcome.outcome === "quarantined") return throwObstacle(outcome);
  if (outcome.outcome === "logged") return { data: outcome, text: `logged in ${outcome.file}` };
  const { file, change } = outcome;
  if (outcome.outcome === "written")
    return { data: { outcome: "written", file, change: change.id }, text: `wrote ${file}` };
  const { size, hidden, dates, warnings } = outcome;
  return {
    data: { outcome: "saved", file, change: change.id, size, hidden, dates, warnings },
    text: [
      `saved ${file}`,
      ...dates.map(({ from, to }) => `${from} → ${to}`),
      hidden.length > 0 && `redacted: ${hidden.join(", ")}`,
      ...warnings.map((warning) => paint("yellow", warning)),
    ],
  };
}
