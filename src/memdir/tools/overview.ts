// The view of a folder of memories: each with its age, its findings and its history. Everything is an argument: nothing here
// reads settings or looks for a project.

import type { Repository } from "../../claims/index.ts";
import { checkMemory, type TruthStanding, type TruthVerdict } from "../../claims/index.ts";
import { DAY, defined, isoTime } from "../../lib/index.ts";
import { confirmedBodies, listQuarantine } from "../admit/quarantine.ts";
import { indexText } from "../folder/commit.ts";
import type { IndexSize } from "../folder/indexFile.ts";
import { isUndone, versionText } from "../folder/journal.ts";
import { isActive, type MemoryPlace, type StoredMemory } from "../folder/model.ts";
import { INDEX, safePath } from "../folder/safePaths.ts";
import { type Folder, historyOf, openFolder, outsideChanges, type UnreadableFile } from "../folder/store.ts";
import { type LintFinding, lintMemories } from "../truth/lint.ts";

/** What the standing of memories is judged by. */
export interface ViewOptions {
  readonly now: number;
  readonly timeZone?: string | undefined;
  /** As it is now. Without one nothing is said about references. */
  readonly repository?: Repository | undefined;
  /** What CLAUDE.md and its kin say. */
  readonly instructions?: readonly string[] | undefined;
}

/** How old it is, in whole days. */
interface MemoryAge {
  /** An ISO time: when it was made, or else when its file was last written. */
  readonly writtenAt: string;
  readonly days: number;
  /** Since it was last verified; absent when it never was. */
  readonly verifiedDays?: number;
}

interface MemoryAssessment {
  readonly age: MemoryAge;
  /** False when it was superseded or has expired. */
  readonly isActive: boolean;
  /** Whether the index has a line for it. */
  readonly isListed: boolean;
  /** What lint says of it, the worst first. */
  readonly findings: readonly LintFinding[];
}

/** One memory in a list. Its hash is what an edit has to bring along. */
export interface ViewedMemory extends Omit<StoredMemory, "text" | "body">, MemoryAssessment {
  /** Absent when there was no repository to look into. */
  readonly standing?: TruthStanding;
  /** What no longer holds, in words; empty unless it is stale. */
  readonly evidence: readonly string[];
}

/** A memory directory with the standing of each memory. */
export interface MemoryOverview {
  readonly folder: string;
  /** Whether Claude Code loads this folder by itself. */
  readonly isClaudes: boolean;
  /** By file name; those that were superseded or have expired among them. */
  readonly memories: readonly ViewedMemory[];
  readonly unreadable: readonly UnreadableFile[];
  readonly index: IndexSize;
  /** What concerns no memory of the list: the index itself, lines without a file, files that cannot be read. */
  readonly findings: readonly LintFinding[];
  /** How many texts wait in quarantine. */
  readonly waiting: number;
}

/** One change of one memory. A hash of null is a file that was not there. */
interface MemoryVersion {
  /** What `undo` takes. */
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly isUndone: boolean;
  /** Whether the words before it are still kept: then it can be undone, unless the file was changed since. */
  readonly isKept: boolean;
}

/** One memory with its verdict and history. */
export interface MemoryDetail extends MemoryAssessment {
  readonly memory: StoredMemory;
  /** Each thing that it points at, with what was found. */
  readonly verdict?: TruthVerdict;
  /** Newest first. */
  readonly history: readonly MemoryVersion[];
}

const severities = ["error", "warning", "note"] as const;

function memoryAge({ created = "", lastVerified = "", modifiedAt }: StoredMemory, now: number) {
  const days = (at: number) => Math.max(0, Math.floor((now - at) / DAY));
  const made = Date.parse(created);
  const written = Number.isNaN(made) ? modifiedAt : made;
  const verified = Date.parse(lastVerified);
  return {
    writtenAt: isoTime(written),
    days: days(written),
    ...(Number.isNaN(verified) ? {} : { verifiedDays: days(verified) }),
  };
}

interface FolderSurvey {
  readonly folder: Folder;
  readonly verdicts: ReadonlyMap<string, TruthVerdict> | undefined;
  readonly findings: readonly LintFinding[];
  readonly listed: ReadonlySet<string>;
}

/** What `repository` says about each memory, by file. */
export function verdictsOn(
  memories: readonly StoredMemory[],
  repository: Repository | undefined,
): ReadonlyMap<string, TruthVerdict> | undefined {
  return repository && new Map(memories.map((memory) => [memory.file, checkMemory(memory, repository)]));
}

async function surveyFolder(place: MemoryPlace, options: ViewOptions) {
  const folder = await openFolder(place);
  const verdicts = verdictsOn(folder.memories, options.repository);
  const { now, timeZone, instructions } = options;
  const findings = lintMemories({
    ...{ folder, now, timeZone, instructions, verdicts },
    indexText: indexText(place),
    outside: outsideChanges(place, folder),
    confirmed: confirmedBodies(place),
  });
  return { folder, verdicts, findings, listed: new Set(folder.index.map(({ file }) => file)) };
}

function assessMemory(memory: StoredMemory, { findings, listed }: FolderSurvey, now: number) {
  const rank = ({ severity }: LintFinding) => severities.indexOf(severity);
  return {
    age: memoryAge(memory, now),
    isActive: isActive(memory, now),
    isListed: listed.has(memory.file),
    findings: findings.filter(({ file }) => file === memory.file).sort((a, b) => rank(a) - rank(b)),
  };
}

/** The whole folder, after what a crash interrupted has been finished. Throws only what the disk throws. */
export async function viewMemories(place: MemoryPlace, options: ViewOptions): Promise<MemoryOverview> {
  const seen = await surveyFolder(place, options);
  const { memories, unreadable, size } = seen.folder;
  const known = new Set(memories.map(({ file }) => file));
  return {
    folder: place.folder,
    isClaudes: place.isClaudes,
    memories: memories.map((memory) => {
      const { text: _text, body: _body, ...head } = memory;
      const verdict = seen.verdicts?.get(memory.file);
      const stale = verdict?.checked.filter(({ standing }) => standing === "stale") ?? [];
      return {
        ...head,
        ...assessMemory(memory, seen, options.now),
        ...defined({ standing: verdict?.standing }),
        evidence: stale.map(({ evidence }) => evidence),
      };
    }),
    unreadable,
    index: size,
    findings: seen.findings.filter(({ file }) => file === INDEX || !known.has(file)),
    waiting: listQuarantine(place).length,
  };
}

/**
 * One memory with everything that is known of it; undefined when there is none in that file. Throws `memory-refused` for
 * a name that cannot be one.
 */
export async function viewMemory(
  place: MemoryPlace,
  file: string,
  options: ViewOptions,
): Promise<MemoryDetail | undefined> {
  const name = safePath(file);
  const seen = await surveyFolder(place, options);
  const memory = seen.folder.memories.find((each) => each.file === name);
  if (!memory) return undefined;
  const verdict = seen.verdicts?.get(name);
  return {
    memory,
    ...assessMemory(memory, seen, options.now),
    ...defined({ verdict }),
    history: versionsOf(place, name),
  };
}

/** A memory that is gone and can be brought back by undoing the change that removed it. */
export interface RemovedMemory {
  readonly file: string;
  /** What `undo` takes. */
  readonly id: string;
  readonly at: string;
}

/** Memories whose last change removed them, newest first, as long as their words are kept. */
export function removedMemories(place: MemoryPlace): RemovedMemory[] {
  const seen = new Set<string>();
  return historyOf(place).flatMap(({ id, at, steps }) =>
    steps.flatMap(({ file, before, after }) => {
      const isLast = !seen.has(file);
      seen.add(file);
      const isBack = before !== null && versionText(place, before) !== undefined;
      return isLast && after === null && isBack && file !== INDEX ? [{ file, id, at }] : [];
    }),
  );
}

/** Every change of a file, newest first; also of one that is gone. */
export function versionsOf(place: MemoryPlace, file: string): MemoryVersion[] {
  const all = [...historyOf(place)].reverse();
  return historyOf(place, file).flatMap(({ id, at, action, steps }) => {
    const step = steps.find((each) => each.file === file);
    if (!step) return [];
    const { before, after } = step;
    const isKept = before === null || versionText(place, before) !== undefined;
    return { id, at, action, before, after, isKept, isUndone: isUndone(all, id) };
  });
}

/** The words of a file as they were, by a hash of its history; undefined for any other, and for what is not kept any more. */
export function readVersion(place: MemoryPlace, file: string, hash: string) {
  const isOwn = versionsOf(place, file).some(({ before, after }) => before === hash || after === hash);
  return isOwn ? versionText(place, hash) : undefined;
}
