// What somebody does to a folder of memories who has looked through it. Everything that can be expected to go wrong is a
// value: a page shows it beside what was typed, and nothing of that is lost.
import { type Clock, isoTime, systemClock, ThroughlineError } from "../../lib/index.ts";
import { type ConfirmOptions, type ConfirmOutcome, confirmQuarantined } from "../admit/confirm.ts";
import { dropQuarantined, findQuarantined } from "../admit/quarantine.ts";
import { type SaveMemoryOptions, type SaveOutcome, saveMemory } from "../admit/save.ts";
import { changedSince } from "../folder/commit.ts";
import type { MemoryChange } from "../folder/journal.ts";
import {
  type Author,
  type MemoryPlace,
  type MemoryType,
  memoryTypes,
  type StoredMemory,
} from "../folder/model.ts";
import { readMemoryFile, removeMemory, undoChange } from "../folder/store.ts";

/** Why nothing was done, and the way out. */
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

/** Errors that a person can meet become values; those of the disk stay errors. */
async function asObstacle<T>(work: () => T | Promise<T>): Promise<T | Obstacle> {
  try {
    return await work();
  } catch (error) {
    const outcome = error instanceof ThroughlineError ? obstacleOutcomes[error.code] : undefined;
    if (outcome === undefined || !(error instanceof ThroughlineError)) throw error;
    return { outcome, message: error.message, fix: error.fix ?? "" };
  }
}

/** Other words for a memory. What is absent stays as it is. */
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
  /** Somebody has just seen that it still holds. */
  readonly isVerified?: boolean | undefined;
  /** What nobody could have looked up: the part to keep of something derivable. */
  readonly surprising?: string | undefined;
}

type EditOptions = Pick<SaveMemoryOptions, "clock" | "timeZone" | "instructions">;

/** `refused` says which rule; `quarantined` waits for a person; `conflict` brings what is there now. */
export type EditOutcome = SaveOutcome | Obstacle;

/** Saves other words for a memory by all the rules of saving, unless it was changed since it was read. */
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
  return current === undefined ? outcome : { ...outcome, current };
}

const WITHOUT_AUTHOR: Author = "assistant";

function asSave(
  memory: StoredMemory,
  edit: MemoryEdit & { readonly type: MemoryType },
  options: EditOptions,
): [Parameters<typeof saveMemory>[1], SaveMemoryOptions] {
  const { session, turn, supersedes, author = WITHOUT_AUTHOR, validUntil, supersededBy } = memory;
  const expires = edit.expires === null ? undefined : (edit.expires ?? memory.expires);
  const { clock = systemClock } = options;
  const lastVerified = edit.isVerified ? isoTime(clock.now()) : memory.lastVerified;
  const request = {
    name: edit.name ?? memory.name,
    description: edit.description ?? memory.description,
    ...{ type: edit.type, author },
    body: edit.body ?? memory.body,
    ...(expires === undefined ? {} : { expires }),
    ...(session === undefined ? {} : { session }),
    ...(turn === undefined ? {} : { turn }),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(edit.surprising === undefined ? {} : { surprising: edit.surprising }),
  };
  const kept = {
    created: memory.created ?? isoTime(memory.modifiedAt),
    ...(lastVerified === undefined ? {} : { lastVerified }),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(supersededBy === undefined ? {} : { supersededBy }),
  };
  return [request, { ...options, replace: { file: memory.file, hash: edit.hash }, kept }];
}

export type RemoveOutcome =
  | { readonly outcome: "removed"; readonly file: string; readonly change: MemoryChange }
  | Obstacle;

/** Takes out the memory that was read; its history keeps the bytes. */
export async function discardMemory(
  place: MemoryPlace,
  { file, hash }: Pick<StoredMemory, "file" | "hash">,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<RemoveOutcome> {
  return await asObstacle(async (): Promise<RemoveOutcome> => {
    const change = await removeMemory(place, { file, hash }, { clock });
    if (change === undefined) throw new ThroughlineError("internal", "nothing was removed");
    return { outcome: "removed", file, change };
  });
}

export type UndoOutcome =
  | { readonly outcome: "undone"; readonly undone: MemoryChange; readonly change: MemoryChange }
  | Obstacle;

/** Takes back the change of that id, or the last one. An undo is a change, and can be undone as well. */
export async function takeBack(
  place: MemoryPlace,
  { id, clock = systemClock }: { readonly id?: string | undefined; readonly clock?: Clock } = {},
): Promise<UndoOutcome> {
  return await asObstacle(async (): Promise<UndoOutcome> => {
    const undone = await undoChange(place, { clock, ...(id === undefined ? {} : { id }) });
    return { outcome: "undone", ...undone };
  });
}

/** `saved`, `written` (a whole file) or `logged`; or why it was not: it goes on waiting then. */
export type ApproveOutcome = ConfirmOutcome | Obstacle;

/** Lets a text out of quarantine: a person has read it. By an id of `listQuarantine`. */
export async function approveQuarantined(
  place: MemoryPlace,
  id: string,
  options: ConfirmOptions = {},
): Promise<ApproveOutcome> {
  return await asObstacle(() => confirmQuarantined(place, findQuarantined(place, id), options));
}

export type RejectOutcome = { readonly outcome: "rejected"; readonly id: string } | Obstacle;

/** Throws a text in quarantine away, for good. */
export async function rejectQuarantined(place: MemoryPlace, id: string): Promise<RejectOutcome> {
  return await asObstacle((): RejectOutcome => {
    const entry = findQuarantined(place, id);
    dropQuarantined(place, entry);
    return { outcome: "rejected", id: entry.id };
  });
}
