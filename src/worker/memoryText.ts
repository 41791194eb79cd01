// Tells a session of the project's typed memories where its agent does not load them, and looks in time what is stale.

import { type Environment, type Home, projectOf } from "../home/index.ts";
import { type MemoriesLook, memoriesText } from "../inject/index.ts";
import { type Clock, errorText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { checkMemory, claimsOf, findReferences, readRepositoryBeside } from "../memdir/index.ts";
import { injectableMemories, memoryFolderFor } from "../tools/index.ts";

/** What no longer holds, by the hash of the memory that says it. */
export type StaleMemories = Readonly<Record<string, readonly string[]>>;

export interface MemoryText {
  /** Quick, and never throws: a hook waits. Empty where the agent loads the folder itself. */
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

const MOST_MS = 5_000;

function readMemories({ home, env, clock, log }: MemoryTextParts, folder: string) {
  try {
    const { place } = memoryFolderFor({ home, env, folder });
    if (place.isClaudes) return undefined;
    return { place, memories: injectableMemories(place, clock) };
  } catch (error) {
    log.warn({ folder, problem: errorText(error) }, "memories.read-failed");
    return undefined;
  }
}

export function makeMemoryText(parts: MemoryTextParts): MemoryText {
  return {
    text(folder, stale, look) {
      const told = readMemories(parts, folder);
      if (told === undefined || told.memories.length === 0) return "";
      const { place, memories } = told;
      const project = projectOf(folder).name;
      return memoriesText({ project, folder: place.folder, now: parts.clock.now(), memories, stale }, look);
    },
    async check(folder) {
      const memories = readMemories(parts, folder)?.memories ?? [];
      const pointing = memories.filter((memory) => findReferences(claimsOf(memory)).length > 0);
      if (pointing.length === 0) return {};
      const { root } = projectOf(folder);
      const repository = await readRepositoryBeside(root, { mostMs: parts.mostMs ?? MOST_MS });
      if (repository === undefined) return undefined;
      const stale = pointing.map((memory) => {
        const { checked } = checkMemory(memory, repository);
        const missed = checked.filter(({ standing }) => standing === "stale");
        return [memory.hash, missed.map(({ evidence }) => evidence)] as const;
      });
      return Object.fromEntries(stale.filter(([, evidence]) => evidence.length > 0));
    },
  };
}
