// What every memory command works with: the folder of this project's memories, and what else is known about the project.
import path from "node:path";
import { text } from "node:stream/consumers";
import { type Language, languageOf, projectOf } from "../../../home/index.ts";
import { ThroughlineError } from "../../../lib/index.ts";
import {
  type ConfirmOutcome,
  type LogOutcome,
  type MemoryPlace,
  type Obstacle,
  type Repository,
  readRepository,
  type SaveOutcome,
} from "../../../memdir/index.ts";
import { instructionsFor, memoryFolderFor } from "../../../tools/index.ts";
import type { Report } from "../../command.ts";
import { currentConfig, surroundings } from "../../surroundings.ts";
import { paint } from "../../terminal.ts";

export const dirArgument = {
  dir: {
    type: "string",
    valueHint: "folder",
    description: "the folder of memories, instead of the one in the settings",
  },
} as const;

export interface Here {
  readonly place: MemoryPlace;
  readonly language: Language;
  readonly mode: "index" | "log";
  readonly root: string;
  /** What the project's instructions say already. */
  readonly instructions: readonly string[];
}

export function here(dir: string | undefined): Here {
  const { home, cwd, env } = surroundings();
  const { values } = currentConfig();
  const { root } = projectOf(cwd);
  const owner = { home, env, folder: cwd };
  const { place, mode } = memoryFolderFor(owner, dir === undefined ? undefined : path.resolve(cwd, dir));
  const language = languageOf(values.locale, env);
  return { place, mode, language, root, instructions: instructionsFor(owner) };
}

export function repositoryOf({ root }: Here): Repository {
  return readRepository(root);
}

/** The value, or what standard input says for `-`. */
export async function given(value: string): Promise<string> {
  return value === "-" ? await text(process.stdin) : value;
}

const obstacleCodes = {
  refused: "memory-refused",
  conflict: "memory-changed",
  "not-found": "not-found",
} as const;

function stopAt(outcome: Obstacle | Waiting): never {
  if ("fix" in outcome)
    throw new ThroughlineError(obstacleCodes[outcome.outcome], outcome.message, { fix: outcome.fix });
  const reasons = outcome.suspicions.map(({ kind, evidence }) => `${kind}: ${evidence}`);
  throw new ThroughlineError(
    "memory-refused",
    `it waits for review as ${outcome.id} (${reasons.join("; ")})`,
    {
      fix: `read it (throughline memory list --quarantine); throughline memory add --confirm ${outcome.id} lets it through`,
    },
  );
}

type Waiting = Extract<SaveOutcome, { outcome: "quarantined" }>;

/** What became of words that were to be kept. A refusal is an error that names the way out. */
export function savedReport(outcome: ConfirmOutcome | LogOutcome | Obstacle): Report {
  if ("fix" in outcome || outcome.outcome === "quarantined") return stopAt(outcome);
  if (outcome.outcome === "logged") return { data: outcome, text: `logged in ${outcome.file}` };
  const { file, change } = outcome;
  if (outcome.outcome === "written")
    return { data: { outcome: "written", file, change: change.id }, text: `wrote ${file}` };
  const { size, hidden, dates, warnings } = outcome;
  const lines = [
    `saved ${file}`,
    ...dates.map(({ from, to }) => `${from} is ${to}`),
    ...(hidden.length === 0 ? [] : [`hidden: ${hidden.join(", ")}`]),
    ...warnings.map((warning) => paint("yellow", warning)),
  ];
  return {
    data: { outcome: "saved", file, change: change.id, size, hidden, dates, warnings },
    text: lines.join("\n"),
  };
}
