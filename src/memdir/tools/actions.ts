// Actions on a folder of memories, as the viewer offers them. Expected failures are values, so that a page can show them
// beside what was typed.
import { type Clock, defined, isoTime, systemClock, ThroughlineError } from "../../lib/index.ts";
import { type ConfirmOptions, type ConfirmOutcome, confirmQuarantined } from "../admit/confirm.ts";
import { dropQuarantined, findQuarantined } from "../admit/quarantine.ts";
import { type SaveMemoryOptions, type SaveOutcome, saveMemory } from "../admit/save.ts";
import { changedSince } from "../folder/commit.ts";
import type { MemoryChange } from "../folder/journal.ts";
import { type MemoryPlace, type MemoryType, memoryTypes, type StoredMemory } from "../folder/model.ts";
import { readMemoryFile, removeMemory, undoChange } from "../folder/store.ts";

/** Why nothing was done, and how to fix it. */
export interface Obstacle {
  /** `conflict`: the file is not what was read. `not-found`: there is no such thing. `refused`: a rule forbids it. */
  readonly outcome: "conflict" | "not-found" | "refused";
  readonly message: string;
  readonly fix: string;
  /** With a conflict over an edit: the memory as it is now, absent when its file is gone. */
  readonly current?: StoredMemory;
}

const obstacleOutcomes: Partial<Record<string, Obstacle["outcome"]>> = {
  "memory-changed": "conflict",
  "memory-refused": "refused",
  "not-found": "not-found",
};

/** Turns expected errors into values; errors of the disk are thrown on. */
async function asObstacle<T>(work: () => T | Promise<T>): Promise<T | Obstacle> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const outcome = obstacleOutcomes[error.code];
    if (outcome === undefined) throw error;
    return { outcome, message: error.message, fix: error.fix ?? "" };
  }
}

/** An edit of a memory. Absent fields stay as they are. */
export interface MemoryEdit {
  readonly file: string;
  /** The hash of the memory that was read. */
  readonly hash: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly type?: MemoryType | undefined;
  readonly body?: string | undefined;
  /** Null takes it away. */
  readonly expires?: string | null | undefined;
  /** The caller has just checked that it still holds. */
  readonly isVerified?: boolean | undefined;
  /** The part of a derivable memory that cannot be looked up. */
  readonly surprising?: string | undefined;
}

/** Options of `editMemory`. */
type EditOptions = Pick<SaveMemoryOptions, "clock" | "timeZone" | "instructions" | "root">;

/** `refused` says which rule; `quarantined` waits for a person; `conflict` brings what is there now. */
export type EditOutcome = SaveOutcome | Obstacle;

/** Saves an edit by all the rules of saving, unless the memory was changed since it was read. */
export async function editMemory(
  place: MemoryPlace,
  edit: MemoryEdit,
  options: EditOptions = {},
): Promise<EditOutcome> {
  const outcome = await asObstacle((): EditOutcome | Promise<EditOutcome> => {
    const memory = readMemoryFile(place, edit.file);
    if (memory?.hash !== edit.hash) throw changedSince(edit.file, memory === undefined);
    const type = edit.type ?? memory.type;
    if (type === undefined)
      return {
        outcome: "refused",
        message: `${memory.file} has no type yet`,
        fix: `choose one of ${memoryTypes.join(", ")}`,
      };
    return saveMemory(place, ...asSave(memory, { ...edit, type }, options));
  });
  if (outcome.outcome !== "conflict") return outcome;
  const current = readMemoryFile(place, edit.file);
  return { ...outcome, ...defined({ current }) };
}

function asSave(
  memory: StoredMemory,
  edit: MemoryEdit & { readonly type: MemoryType },
  options: EditOptions,
): [Parameters<typeof saveMemory>[1], SaveMemoryOptions] {
  const { session, turn, supersedes, author = "assistant", validUntil, supersededBy } = memory;
  const expires = edit.expires === null ? undefined : (edit.expires ?? memory.expires);
  const { clock = systemClock } = options;
  const lastVerified = edit.isVerified ? isoTime(clock.now()) : memory.lastVerified;
  const request = {
    name: edit.name ?? memory.name,
    description: edit.description ?? memory.description,
    body: edit.body ?? memory.body,
    ...{ type: edit.type, author },
    ...defined({ expires, session, turn, supersedes, surprising: edit.surprising }),
  };
  const created = memory.created ?? isoTime(memory.modifiedAt);
  const kept = defined({ created, lastVerified, validUntil, supersededBy });
  return [request, { ...options, replace: { file: memory.file, hash: edit.hash }, kept }];
}

/** What came of removing a memory. */
export type RemoveOutcome =
  | { readonly outcome: "removed"; readonly file: string; readonly change: MemoryChange }
  | Obstacle;

/** Removes the memory that was read; the history keeps its bytes. */
export async function discardMemory(
  place: MemoryPlace,
  { file, hash }: Pick<StoredMemory, "file" | "hash">,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<RemoveOutcome> {
  return await asObstacle(async (): Promise<RemoveOutcome> => {
    const change = await removeMemory(place, { file, hash }, { clock });
    if (!change) throw new ThroughlineError("internal", "nothing was removed");
    return { outcome: "removed", file, change };
  });
}

/** What came of undoing a change. */
export type UndoOutcome =
  | { readonly outcome: "undone"; readonly undone: MemoryChange; readonly change: MemoryChange }
  | Obstacle;

/** Undoes the change with that id, or the last one. An undo is a change and can be undone as well. */
export async function takeBack(
  place: MemoryPlace,
  { id, clock = systemClock }: { readonly id?: string | undefined; readonly clock?: Clock } = {},
): Promise<UndoOutcome> {
  return await asObstacle(async (): Promise<UndoOutcome> => {
    return { outcome: "undone", ...(await undoChange(place, defined({ clock, id }))) };
  });
}

/** `saved`, `written` (a whole file) or `logged`; otherwise it stays in quarantine, and the outcome says why. */
export type ApproveOutcome = ConfirmOutcome | Obstacle;

/** Confirms a quarantined text that a person has read, by an id of `listQuarantine`. */
export async function approveQuarantined(
  place: MemoryPlace,
  id: string,
  options: ConfirmOptions = {},
): Promise<ApproveOutcome> {
  return await asObstacle(() => confirmQuarantined(place, findQuarantined(place, id), options));
}

/** What came of rejecting a quarantined text. */
export type RejectOutcome = { readonly outcome: "rejected"; readonly id: string } | Obstacle;

/** Deletes a quarantined text for good. */
export async function rejectQuarantined(place: MemoryPlace, id: string): Promise<RejectOutcome> {
  return await asObstacle((): RejectOutcome => {
    const entry = findQuarantined(place, id);
    dropQuarantined(place, entry);
    return { outcome: "rejected", id: entry.id };
  });
}
