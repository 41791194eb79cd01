// Finds transcripts below a folder, each file once, and reports what could not be searched with the reason.
import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { errorText, systemErrorCode } from "../lib/index.ts";

/** A folder or file that could not be looked into. */
interface Unsearched {
  readonly file: string;
  readonly reason: string;
}

/** The transcripts that were found, and what could not be searched. */
interface FoundTranscripts {
  /** In the order of their paths, each under the first path that leads to it. */
  readonly files: readonly string[];
  /** Folders and files that are there and cannot be looked into. */
  readonly unsearched: readonly Unsearched[];
}

/** Which files `findTranscripts` takes. */
interface SearchOptions {
  /** Files to take by their name; unless given, `.jsonl` without the files of subagents, which belong to a session. */
  readonly isWanted?: (name: string) => boolean;
}

/** Folders that are read with their session, or hold no conversation. */
const passedBy = new Set(["subagents", "tool-results", "memory", "node_modules"]);
/** Hidden folders in which agents keep sessions; every other one is passed by. */
const hiddenHomes = /^\.(claude|pi|codex)/;
/** From the given folder down; Claude Code's own tree is two levels deep. */
const DEEPEST_FOLDER = 8;

const isTranscriptName = (name: string) => name.endsWith(".jsonl") && !/^agent-.+\.jsonl$/.test(name);
const isSearched = (name: string) => !passedBy.has(name) && (!name.startsWith(".") || hiddenHomes.test(name));

/** A file that is named is taken as it is, whatever it is called and whether it can be read. Never throws. */
export function findTranscripts(
  places: readonly string[],
  { isWanted = isTranscriptName }: SearchOptions = {},
): FoundTranscripts {
  const files = new Map<string, string>();
  const unsearched: Unsearched[] = [];
  const visited = new Set<string>();
  const give = (file: string, error: unknown) => {
    unsearched.push({ file, reason: unreadableReason(error) });
  };
  const take = (file: string) => {
    const own = realPath(file);
    if (!files.has(own)) files.set(own, file);
  };
  const search = (folder: string, depth: number) => {
    const own = realPath(folder);
    // A link that leads back ends here, and so does a second way into the same folder.
    if (visited.has(own)) return;
    visited.add(own);
    try {
      if (depth > DEEPEST_FOLDER)
        throw new Error(`deeper than ${DEEPEST_FOLDER} folders; name it to search it`);
      const entries = readdirSync(folder, { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) look(entry, folder, depth);
    } catch (error) {
      give(folder, error);
    }
  };
  const look = (entry: Dirent, folder: string, depth: number) => {
    const file = path.join(folder, entry.name);
    const kind = kindOf(entry, file);
    if (kind === "folder") {
      if (isSearched(entry.name)) search(file, depth + 1);
    } else if (isWanted(entry.name)) {
      if (kind === "file") take(file);
      else give(file, kind);
    }
  };
  for (const place of places) {
    if (factsOf(place)?.isDirectory()) search(place, 0);
    else take(place);
  }
  return { files: [...files.values()], unsearched };
}

/** What an entry is, links followed; an error for what is neither a file nor a folder. */
function kindOf(entry: Dirent, file: string) {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  if (!entry.isSymbolicLink()) return new Error("not a file");
  try {
    const facts = statSync(file);
    return facts.isDirectory() ? "folder" : facts.isFile() ? "file" : new Error("not a file");
  } catch (error) {
    return error instanceof Error ? error : new Error(errorText(error));
  }
}

function factsOf(place: string) {
  try {
    return statSync(place);
  } catch {
    // Its reader says what is wrong with it.
    return undefined;
  }
}

function realPath(file: string) {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

function unreadableReason(error: unknown) {
  const code = systemErrorCode(error);
  if (code === "ENOENT") return "a link that leads nowhere";
  if (code === "ELOOP") return "a link that leads to itself";
  if (code === "EACCES" || code === "EPERM") return "not readable by you";
  return errorText(error);
}
