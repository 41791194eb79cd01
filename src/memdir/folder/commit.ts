// Commits changes of files and index as one: the next command finishes what a crash interrupted.
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  type Clock,
  ensureFolder,
  isoTime,
  look,
  removeFile,
  replaceFile,
  SECOND,
  sha256,
  statIfThere,
  systemClock,
  systemErrorCode,
  ThroughlineError,
  timeOrderedId,
  withLock,
} from "../../lib/index.ts";
import { readIndexLines, withIndexLine } from "./indexFile.ts";
import {
  type ChangeStep,
  keepVersion,
  type MemoryChange,
  pruneHistory,
  readChanges,
  recordDone,
  recordIntent,
  versionText,
} from "./journal.ts";
import type { MemoryPlace } from "./model.ts";
import { INDEX, listMemoryFolder, memoryRefused, placeInside, readInside } from "./safePaths.ts";

/** What is to become of one file. */
export interface FileEdit {
  readonly file: string;
  /** Undefined removes it. */
  readonly text: string | undefined;
  /** The hash that was read, undefined for a file that must not be there yet. Anything else on disk refuses the change. */
  readonly expect: string | undefined;
  /** The line of the index: a text, null for none, undefined to leave the index alone. */
  readonly line?: string | null;
}

/** A change takes far less. A writer whose lock was taken over all the same checks before each write, and stops. */
const locking = { staleMs: 10 * SECOND };

const lockFile = ({ books }: MemoryPlace) => path.join(books, "lock");

/** The index as it is; empty when there is none. */
export function indexText({ folder }: MemoryPlace) {
  return readInside(folder, INDEX)?.text ?? "";
}

/**
 * All edits or none. Throws `memory-changed` when a file is not what the caller has read. `plan` is called under the
 * lock, so that what it reads is what it changes.
 */
export async function commitEdits(
  place: MemoryPlace,
  action: string,
  plan: () => readonly FileEdit[],
  clock: Clock = systemClock,
) {
  ensureMemoryFolder(place);
  return await withLock(
    lockFile(place),
    (isHeld) => {
      finishOpen(place);
      const edits = plan();
      if (edits.length === 0) return undefined;
      const change: MemoryChange = {
        id: timeOrderedId("mem", clock.now()),
        at: isoTime(clock.now()),
        action,
        steps: edits.map((edit) => stepFor(place, edit)),
      };
      recordIntent(place, change);
      // If the lock was taken over meanwhile, the new holder has finished this change already.
      applyChange(place, change, isHeld);
      if (isHeld()) pruneHistory(place, clock.now());
      return change;
    },
    locking,
  );
}

function ensureMemoryFolder({ folder }: MemoryPlace) {
  try {
    ensureFolder(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new ThroughlineError("io-failed", `there can be no folder of memories at ${folder} (${code})`, {
      fix: "make room for it, or choose another one: throughline config set memory.dir FOLDER",
      cause: error,
    });
  }
}

/** Finishes what a crash interrupted, and clears its remains away. */
export async function finishInterrupted(place: MemoryPlace) {
  if (readChanges(place).open.length === 0) return 0;
  return await withLock(lockFile(place), () => finishOpen(place), locking);
}

function finishOpen(place: MemoryPlace) {
  const { open } = readChanges(place);
  let finished = 0;
  for (const change of open) {
    try {
      applyChange(place, change);
      finished += 1;
    } catch (error) {
      // The target is now something that must not be written through. This change stays open; others go on.
      if (!(error instanceof ThroughlineError && error.code === "memory-refused")) throw error;
    }
  }
  const folders = new Set(
    open.flatMap(({ steps }) => ["", ...steps.map(({ file }) => path.posix.dirname(file))]),
  );
  for (const folder of folders) removeTemporaryFiles(path.join(place.folder, folder));
  return finished;
}

/** Both versions are kept before anything is written: neither can be lost. */
function stepFor(place: MemoryPlace, { file, text, expect, line }: FileEdit) {
  const current = readInside(place.folder, file);
  if (current?.hash !== expect)
    throw expect === undefined ? thereAlready(file) : changedSince(file, current === undefined);
  if (current) keepVersion(place, current.text);
  else refuseTwin(place.folder, file);
  const step = {
    file,
    before: current?.hash ?? null,
    after: text === undefined ? null : keepVersion(place, text),
  };
  if (line === undefined) return step;
  const lineBefore = readIndexLines(indexText(place)).find((entry) => entry.file === file)?.text ?? null;
  return { ...step, line, lineBefore };
}

function thereAlready(file: string) {
  return new ThroughlineError(
    "memory-changed",
    `${file} is there already`,
    `read it and change it (throughline memory edit ${file}), or choose another name`,
  );
}

export function changedSince(file: string, isGone: boolean) {
  const what = isGone ? "was removed" : "was changed";
  return new ThroughlineError(
    "memory-changed",
    `${file} ${what} since it was read`,
    "read it again, and decide again",
  );
}

/** Some systems take two names for one: neither files nor folders may be told apart by case or by accents alone. */
function refuseTwin(folder: string, file: string) {
  const same = (name: string) => name.normalize("NFC").toLowerCase();
  const parts = file.split("/");
  for (const [at, name] of parts.entries()) {
    const beside = path.join(folder, ...parts.slice(0, at));
    const twin = listMemoryFolder(beside).find((other) => other !== name && same(other) === same(name));
    if (twin !== undefined)
      throw memoryRefused(file, `${twin} differs from it in case or accents alone`, "choose another name");
  }
}

/**
 * Idempotent. A file that another program has written in between stays as it is; our version is kept in the history.
 * Without the lock the change stays open, and the next holder finishes it.
 */
function applyChange(place: MemoryPlace, { id, steps }: MemoryChange, isHeld: () => boolean = () => true) {
  const lines: ChangeStep[] = [];
  for (const step of steps) {
    if (!isHeld()) return;
    if (writeStep(place, step) && step.line !== undefined) lines.push(step);
  }
  if (!isHeld()) return;
  if (lines.length > 0)
    updateIndex(place, (text) =>
      lines.reduce((known, { file, line }) => withIndexLine(known, file, line ?? undefined), text),
    );
  recordDone(place, id);
}

/** False when the file is neither what it was nor what it shall be. */
function writeStep(place: MemoryPlace, { file, before, after }: ChangeStep) {
  const target = placeInside(place.folder, file);
  const seen = look(target);
  const current = seen ? sha256(readFileSync(target)) : null;
  if (current === after) return true;
  if (current !== before) return false;
  if (after === null) {
    removeFile(target);
    return true;
  }
  const text = versionText(place, after);
  if (text === undefined) return false;
  ensureFolder(path.dirname(target));
  return replaceFile(target, Buffer.from(text, "utf8"), seen);
}

const MOST_INDEX_ATTEMPTS = 20;

/** Claude Code knows nothing of our lock: when it writes in between, its words are taken in and ours are put to them. */
function updateIndex({ folder }: MemoryPlace, update: (text: string) => string) {
  const target = placeInside(folder, INDEX);
  for (let attempt = 0; attempt < MOST_INDEX_ATTEMPTS; attempt++) {
    const seen = look(target);
    const text = readInside(folder, INDEX)?.text ?? "";
    const wanted = update(text);
    if (wanted === text || replaceFile(target, Buffer.from(wanted, "utf8"), seen)) return;
  }
  throw new ThroughlineError("busy", `${INDEX} is being changed all the time`, "try again");
}

/** What writers that were killed left; only the holder of the lock writes, so whatever is there is abandoned. */
function removeTemporaryFiles(folder: string) {
  for (const name of listMemoryFolder(folder)) {
    if (!/^\..+\.throughline-\d+\.tmp$/.test(name)) continue;
    const stray = path.join(folder, name);
    if (statIfThere(stray)?.isFile()) removeFile(stray);
  }
}
