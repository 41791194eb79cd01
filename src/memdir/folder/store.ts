// The folder of memories: what is in it, and how one is saved, changed, superseded, removed and brought back.

import { safeName } from "../../home/index.ts";
import {
  BoundedMap,
  type Clock,
  errorText,
  isoTime,
  nearest,
  notFoundError,
  sha256,
  systemClock,
  ThroughlineError,
  usageError,
} from "../../lib/index.ts";
import { commitEdits, type FileEdit, finishInterrupted, indexText } from "./commit.ts";
import { readMemory, renderMemory, renderOver, withFields } from "./frontmatter.ts";
import { type IndexLine, type IndexSize, indexLine, readIndexLines, sizeOfIndex } from "./indexFile.ts";
import {
  type ChangeStep,
  lastUndoable,
  type MemoryChange,
  manifestOf,
  readChanges,
  UNDO_ACTION,
  versionText,
} from "./journal.ts";
import { type MemoryContent, type MemoryPlace, memoryLimits, type StoredMemory } from "./model.ts";
import { INDEX, listMemoryFolder, memoryRefused, readInside, safePath } from "./safePaths.ts";

/** A file of the folder that cannot be read as one, and why. */
export interface UnreadableFile {
  readonly file: string;
  readonly problem: string;
}

/** A memory directory as it was read. */
export interface Folder {
  readonly memories: readonly StoredMemory[];
  readonly unreadable: readonly UnreadableFile[];
  readonly index: readonly IndexLine[];
  readonly size: IndexSize;
}

const isMemoryFile = (name: string) => /\.md$/i.test(name) && name !== INDEX && !name.startsWith(".");

/** What was read before, by the hash of its text: a folder is looked through with every search. */
const parsedMemories = new BoundedMap<string, ReturnType<typeof readMemory>>(5_000);

/** Undefined for a file that is not there. Throws `memory-refused` for one that is no plain text file. */
export function readMemoryFile({ folder }: MemoryPlace, file: string): StoredMemory | undefined {
  const read = readInside(folder, file);
  return (
    read && {
      ...parsedMemories.remember(read.hash, () => readMemory(read.text)),
      ...read,
      file: safePath(file),
    }
  );
}

/** Everything in the folder, after what a crash interrupted has been finished. */
export async function openFolder(place: MemoryPlace): Promise<Folder> {
  await finishInterrupted(place);
  return readFolder(place);
}

/** Why a name that lies there is none that memories can have; such a file is shown, and never read or written. */
function badFileName(name: string) {
  if (name.toLowerCase() === INDEX.toLowerCase())
    return `its name is that of the index on systems where case does not count; rename it`;
  if (name.normalize("NFC") !== name)
    return "its name is written with accents of their own, which not every system tells apart; rename it";
  return undefined;
}

/** Those of the folder itself, and those below it that the index names. Logs are no memories. */
function memoryFiles(place: MemoryPlace, index: readonly IndexLine[]) {
  const listed = index.flatMap(({ file }) => (file.includes("/") && !file.startsWith("logs/") ? [file] : []));
  return [...new Set([...listMemoryFolder(place.folder), ...listed])].filter(isMemoryFile);
}

/** Reads a memory directory. A file that cannot be read is listed, not thrown. */
export function readFolder(place: MemoryPlace): Folder {
  const text = indexText(place);
  const index = readIndexLines(text);
  const memories: StoredMemory[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const file of memoryFiles(place, index)) {
    try {
      const problem = badFileName(file);
      const memory = problem === undefined ? readMemoryFile(place, file) : undefined;
      if (memory) memories.push(memory);
      if (problem !== undefined) unreadable.push({ file, problem });
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error;
      // A line may say anything; what it names is no file of this folder then.
      if (!file.includes("/")) unreadable.push({ file, problem: errorText(error) });
    }
  }
  return { memories, unreadable, index, size: sizeOfIndex(text) };
}

/** The memory of that file or name, or the only one that begins so. */
export function findMemory({ memories }: Folder, wanted: string): StoredMemory {
  const bare = (name: string) => name.replace(/\.md$/i, "").toLowerCase();
  const exact = memories.filter(({ file, name }) => [bare(file), name.toLowerCase()].includes(bare(wanted)));
  const found = exact.length > 0 ? exact : memories.filter(({ file }) => bare(file).startsWith(bare(wanted)));
  const [only, another] = found;
  if (only && !another) return only;
  if (only)
    throw usageError(
      `several memories begin with ${wanted}: ${found.map(({ file }) => file).join(", ")}`,
      "give more of the name",
    );
  const meant = nearest(
    bare(wanted),
    memories.map(({ file }) => bare(file)),
  );
  throw notFoundError(
    `there is no memory ${wanted}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    "`throughline memory list` shows all of them",
  );
}

const LONGEST_SLUG = 60;

/** A file name from a title in any script. */
export function fileNameFor(name: string) {
  const words =
    name
      .normalize("NFKC")
      .toLowerCase()
      .match(/(?:(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{M}\p{N}])+/gu) ?? [];
  let slug = "";
  for (const word of words) {
    if (slug !== "" && slug.length + 1 + word.length > LONGEST_SLUG) break;
    slug += slug === "" ? word.slice(0, LONGEST_SLUG) : `-${word}`;
  }
  // Long titles often begin alike.
  if (slug.length < words.join("-").length) slug += `-${sha256(name).slice(0, 6)}`;
  if (slug === "")
    throw memoryRefused(JSON.stringify(name), "a name needs letters or digits", "name what it is about");
  // MEMORY.md is the index, also where case does not count.
  return `${slug === "memory" ? "memory-note" : safeName(slug)}.md`;
}

/** Options of a write to the folder. */
interface WriteOptions {
  readonly clock?: Clock;
}

/** A memory that was written, with its file. */
interface WrittenMemory {
  readonly file: string;
  readonly change: MemoryChange;
  readonly size: IndexSize;
}

function checkSize(text: string) {
  const bytes = Buffer.byteLength(text);
  if (bytes > memoryLimits.memoryBytes)
    throw memoryRefused(
      "the memory",
      `it has ${bytes} bytes, and the most is ${memoryLimits.memoryBytes}`,
      "keep the fact, and point at the document",
    );
}

/**
 * Writes a memory and its line: both or neither. With `expect` it replaces the file that had that hash. Memories that it
 * supersedes stay, say until when they were valid and by what they were replaced, and leave the index.
 */
export async function writeMemory(
  place: MemoryPlace,
  memory: MemoryContent,
  {
    expect,
    file = fileNameFor(memory.name),
    clock = systemClock,
  }: WriteOptions & { expect?: string; file?: string } = {},
): Promise<WrittenMemory> {
  const known = expect === undefined ? undefined : readMemoryFile(place, file);
  const text = known ? renderOver(known.text, memory) : renderMemory(memory);
  checkSize(text);
  const line = indexLine({ ...memory, file });
  // What it replaced before may be gone since.
  const settled = new Set([file, ...(known?.supersedes ?? [])]);
  const replaced = (memory.supersedes ?? []).filter((old) => !settled.has(old));
  const change = await commitEdits(
    place,
    expect === undefined ? "add" : "edit",
    () => [
      { file: safePath(file), text, expect, line: memory.supersededBy === undefined ? line : null },
      ...replaced.flatMap((old) => supersede(place, old, file, isoTime(clock.now()))),
    ],
    clock,
  );
  if (!change) throw new ThroughlineError("internal", "nothing was written");
  return { file, change, size: sizeOfIndex(indexText(place)) };
}

/** What a whole text makes of its file's line: a memory of the folder has one; a note in any other form has none. */
export function lineFor(file: string, text: string): Pick<FileEdit, "line"> {
  if (file.includes("/") || !isMemoryFile(file)) return {};
  const { name, description, problems, supersededBy } = readMemory(text);
  if (problems.length > 0) return {};
  return { line: supersededBy === undefined ? indexLine({ name, description, file }) : null };
}

function supersede(place: MemoryPlace, file: string, by: string, at: string) {
  const old = readMemoryFile(place, file);
  if (!old)
    throw notFoundError(
      `there is no memory ${file} to supersede`,
      "`throughline memory list` shows all of them",
    );
  if (old.supersededBy !== undefined) return [];
  const text = withFields(old.text, { valid_until: at, superseded_by: by });
  if (text === undefined)
    throw memoryRefused(file, old.problems[0] ?? "it cannot be read", "repair its frontmatter first");
  return [{ file: old.file, text, expect: old.hash, line: null }];
}

/** Takes a memory and its line out of the folder; its bytes stay in the history. */
export async function removeMemory(
  place: MemoryPlace,
  { file, hash }: Pick<StoredMemory, "file" | "hash">,
  { clock }: WriteOptions = {},
): Promise<MemoryChange | undefined> {
  return await commitEdits(place, "rm", () => [{ file, text: undefined, expect: hash, line: null }], clock);
}

/** Changes of one file, or of all, newest first. */
export function historyOf(place: MemoryPlace, file?: string): MemoryChange[] {
  const { changes } = readChanges(place);
  return changes
    .filter(({ steps }) => file === undefined || steps.some((step) => step.file === file))
    .reverse();
}

/** Brings back what was there before a change: the last one, or the one that is named. */
export async function undoChange(
  place: MemoryPlace,
  { id, clock }: WriteOptions & { id?: string } = {},
): Promise<{ undone: MemoryChange; change: MemoryChange }> {
  const undone = changeToUndo(readChanges(place).changes, id);
  const change = await commitEdits(
    place,
    UNDO_ACTION + undone.id,
    () => [...undone.steps].reverse().map((step) => reverseOf(place, step)),
    clock,
  );
  if (!change) throw new ThroughlineError("internal", "nothing was undone");
  return { undone, change };
}

function reverseOf(place: MemoryPlace, { file, before, after, line, lineBefore = null }: ChangeStep) {
  const text = before === null ? undefined : versionText(place, before);
  if (before !== null && text === undefined)
    throw notFoundError(
      `the earlier version of ${file} is not kept any more`,
      "`throughline memory history` shows what there is",
    );
  const edit = { file, text, expect: after ?? undefined };
  return line === undefined ? edit : { ...edit, line: lineBefore };
}

function changeToUndo(changes: readonly MemoryChange[], id: string | undefined) {
  const found = id === undefined ? lastUndoable(changes) : changes.find((change) => change.id === id);
  if (found) return found;
  throw notFoundError(
    id === undefined
      ? "there is no change to take back"
      : `there is no change ${id}, or it is not kept any more`,
    "`throughline memory history` shows every change",
  );
}

/** A change that another program made to a file. */
export type OutsideChange = "new" | "changed" | "removed";

/** Files that differ from what Throughline last wrote: changes by the agent or by another program. */
export function outsideChanges(place: MemoryPlace, { memories }: Folder): Map<string, OutsideChange> {
  const manifest = manifestOf(readChanges(place));
  const found = new Map<string, OutsideChange>();
  for (const { file, hash } of memories) {
    const known = manifest.get(file);
    if (known === undefined || known === null) found.set(file, "new");
    else if (known !== hash) found.set(file, "changed");
  }
  const there = new Set(memories.map(({ file }) => file));
  for (const [file, hash] of manifest)
    if (hash !== null && isMemoryFile(file) && !file.includes("/") && !there.has(file))
      found.set(file, "removed");
  return found;
}
