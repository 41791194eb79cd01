// The memories of the project that a folder belongs to: where they lie, how they are kept, and what is said elsewhere already.
import { homedir } from "node:os";
import path from "node:path";
import { type Config, loadConfig } from "../config/index.ts";
import { type Environment, type Home, projectOf } from "../home/index.ts";
import { claudePlaces } from "../install/index.ts";
import { readForeign } from "../lib/index.ts";
import { defaultHistoryRule, type MemoryPlace, memoryPlace } from "../memdir/index.ts";
import { userSettings } from "../settings/index.ts";

export interface MemoryOwner {
  readonly home: Home;
  readonly env: Environment;
  /** The folder of work. */
  readonly folder: string;
}

interface MemoryFolder {
  readonly place: MemoryPlace;
  readonly mode: Config["memory"]["mode"];
}

const MOST_INSTRUCTIONS = 1_000_000;

function textOf(file: string) {
  const text = readForeign(file, MOST_INSTRUCTIONS);
  return text === undefined ? [] : [text];
}

/** What the project's instructions say, and the user's own: no memory needs to say it again. */
export function instructionsFor({ env, folder }: MemoryOwner): string[] {
  const { root } = projectOf(folder);
  const { configFolder } = claudePlaces(env, homedir(), folder);
  return [
    ...["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"].map((name) => path.join(root, name)),
    path.join(configFolder, "CLAUDE.md"),
  ].flatMap(textOf);
}

/** `dir` is a folder that was named for this once. Throws for settings that cannot be read. */
export function memoryFolderFor({ home, env, folder }: MemoryOwner, dir?: string): MemoryFolder {
  const { configFolder: claudeFolder } = claudePlaces(env, homedir(), folder);
  // Where memories are written is the user's to say, never a repository's.
  const own = userSettings(home, env).memory;
  const place = memoryPlace({
    ...{ home, cwd: folder, env, claudeFolder, homeFolder: homedir() },
    ...{ dir: dir ?? own.dir, history: { ...defaultHistoryRule, days: own.historyDays } },
  });
  return { place, mode: loadConfig({ home, cwd: folder, env }).values.memory.mode };
}
