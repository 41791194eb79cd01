// The memory folder of the project that a folder belongs to, and the instructions that memories need not repeat.
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

const MOST_INSTRUCTIONS = 1_000_000;

/** The instructions of the project and of the user: memories need not repeat them. */
export function instructionsFor({ env, folder }: MemoryOwner) {
  const { root } = projectOf(folder);
  const { configFolder } = claudePlaces(env, homedir(), folder);
  return [
    ...["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"].map((name) => path.join(root, name)),
    path.join(configFolder, "CLAUDE.md"),
  ].flatMap((file) => readForeign(file, MOST_INSTRUCTIONS) ?? []);
}

/** `dir` overrides the folder for this call. Throws for settings that cannot be read. */
export function memoryFolderFor(
  { home, env, folder }: MemoryOwner,
  dir?: string,
): { place: MemoryPlace; mode: Config["memory"]["mode"] } {
  const { configFolder: claudeFolder } = claudePlaces(env, homedir(), folder);
  // Only the user decides where memories are written, never a repository.
  const own = userSettings(home, env).memory;
  const place = memoryPlace({
    ...{ home, cwd: folder, env, claudeFolder, homeFolder: homedir() },
    ...{ dir: dir ?? own.dir, history: { ...defaultHistoryRule, days: own.historyDays } },
  });
  return { place, mode: loadConfig({ home, cwd: folder, env }).values.memory.mode };
}
