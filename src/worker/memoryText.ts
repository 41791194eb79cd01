// Tells a session of the project's typed memories where its agent does not load them, and of the daily log in log mode; looks in
// time what is stale.

import { type Environment, type Home, projectOf } from "../home/index.ts";
import { joinTexts, logText, type MemoriesLook, memoriesText } from "../inject/index.ts";
import { type Clock, errorText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { recentLog } from "../memdir/index.ts";
import { findStale, injectableMemories, memoryFolderFor, type StaleMemories } from "../tools/index.ts";

export interface MemoryText {
  /** Quick, and never throws: a hook waits. Where the agent loads the folder itself, only the log of log mode is told. */
  text(folder: string, stale: StaleMemories, look: MemoriesLook): string;
  /** Reads the whole repository, and so is called when no hook waits. Undefined where that took too long. */
  check(folder: string): Promise<StaleMemories | undefined>;
}

interface MemoryTextParts {
  readonly home: Home;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that reading a repository may take. */
  readonly mostMs?: number;
}

const STALE_CHECK_MS = 5_000;

function readMemories({ home, env, clock, log }: MemoryTextParts, folder: string) {
  try {
    const { place, mode } = memoryFolderFor({ home, env, folder });
    return {
      ...{ place, memories: place.isClaudes ? [] : injectableMemories(place, clock) },
      ...(mode === "log" && { log: recentLog(place, { clock }) }),
    };
  } catch (error) {
    log.warn({ folder, problem: errorText(error) }, "memories.read-failed");
    return undefined;
  }
}

export function makeMemoryText(parts: MemoryTextParts): MemoryText {
  return {
    text(folder, stale, look) {
      const told = readMemories(parts, folder);
      if (!told) return "";
      const { place, memories, log } = told;
      const about = { project: projectOf(folder).name, folder: place.folder };
      const half = { ...look, tokens: look.tokens / 2, characters: look.characters / 2 };
      const logged = log ? logText({ ...about, ...log }, half) : "";
      const left = logged === "" ? look : half;
      const listed =
        memories.length === 0
          ? ""
          : memoriesText({ ...about, now: parts.clock.now(), memories, stale }, left);
      return joinTexts(logged, listed);
    },
    async check(folder) {
      const memories = readMemories(parts, folder)?.memories ?? [];
      return findStale(memories, projectOf(folder).root, parts.mostMs ?? STALE_CHECK_MS);
    },
  };
}
