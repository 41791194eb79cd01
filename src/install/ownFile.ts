// A file that is ours from its first to its last byte, such as a plugin in an agent's folder.
import { ThroughlineError } from "../lib/index.ts";
import { type Plan, stepBack } from "./plan.ts";
import type { Step } from "./receipt.ts";

/** Stands in every such file; it names the owner of the file and the command that removes it. */
export const ownFileMark = (agent: string): string =>
  `Throughline: written by \`throughline install --agent ${agent}\`, removed by \`throughline uninstall --agent ${agent}\`.`;

const isOurs = (text: string) => text.includes("Throughline: written by `throughline install");

/** Settings have a structure that is edited; every other file is taken whole. */
export const isWhole = (file: string): boolean => !/\.(json|jsonc|toml)$/.test(file);

/** Throws where a file of that name is not ours. */
export function planOwnFile(text: string, file: string, wanted: string): Plan {
  const same = { before: text, after: wanted, made: [] };
  if (text === wanted) return { ...same, changes: [], splices: [] };
  if (text !== "" && !isOurs(text)) {
    throw new ThroughlineError(
      "settings-invalid",
      `${file} is there and not ours`,
      `rename ${file}, then run this again; nothing was changed`,
    );
  }
  return {
    ...same,
    changes: [{ pointer: "", ...(text !== "" && { before: text }), after: wanted }],
    splices: [{ offset: 0, removed: text, inserted: wanted }],
  };
}

/** What there was before; nothing where our file was edited meanwhile. A file that is no longer ours stays. */
export function planOwnFileRemoval(text: string, steps: readonly Step[]): Plan {
  const { text: earlier, left } = stepBack(text, steps);
  const after = left.length === 0 ? earlier : isOurs(text) ? "" : text;
  const changes = after === text ? [] : [{ pointer: "", before: text }];
  return { before: text, after, changes, splices: [], made: [] };
}
