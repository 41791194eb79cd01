// A session's notes on disk: the page, and beside it how far it reaches. The page is always written first.
import path from "node:path";
import type { SessionPlace } from "../../home/index.ts";
import {
  defined,
  givenText,
  isObject,
  parseJson,
  readIfThere,
  withLock,
  writeFileAtomic,
} from "../../lib/index.ts";
import { isEmptyTemplate } from "./template.ts";

/** Notes as compaction needs them. */
export interface SessionNotes {
  readonly text: string;
  /** The last message that the notes have certainly taken in. */
  readonly lastSummarizedId: string | undefined;
}

/** How large a conversation is, over all of its main thread. */
export interface ConversationSize {
  readonly tokens: number;
  readonly toolCalls: number;
  readonly compactions: number;
}

/** What is known of the page beyond its words. */
export interface NotesState {
  readonly version: 1;
  readonly lastSummarizedId?: string;
  /** The size of the conversation when the page was last written. */
  readonly size: ConversationSize;
  /** Who wrote it. */
  readonly by: "activity" | "model";
  /** ISO time. */
  readonly updatedAt: string;
  /** The file the conversation was read from, and the bytes behind which nothing was read yet. */
  readonly source?: NotesSource;
}

/** The transcript that the notes were made of, and how far it was read. */
export interface NotesSource {
  readonly file: string;
  /** Behind the last row that was measured. */
  readonly measured: number;
  /** Behind the last message that was taken in: the next update begins here. */
  readonly summarized: number;
}

/** Where the notes of a session are. */
export function notesFolder(place: SessionPlace) {
  return path.join(place.folder, "session-memory");
}

/** The notes themselves: `summary.md` in the folder of the notes. */
export const notesFile = (folder: string) => path.join(folder, "summary.md");
const stateFile = (folder: string) => path.join(folder, "state.json");

/** The page as it is; undefined when there is none, or nothing is written on it yet. */
export function readNotesText(folder: string) {
  const text = readIfThere(notesFile(folder));
  return text === undefined || isEmptyTemplate(text) ? undefined : text;
}

/** `folder` is a session's `notesFolder`. Undefined when there are no notes, or nothing is written in them yet. */
export function readNotes(folder: string): SessionNotes | undefined {
  // In this order: should both be replaced in between, the page says more than the state claims, never less.
  const state = readNotesState(folder);
  const text = readNotesText(folder);
  return text === undefined ? undefined : { text, lastSummarizedId: state?.lastSummarizedId };
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

function readSource(value: unknown): NotesSource | undefined {
  if (!isObject(value) || typeof value.file !== "string") return undefined;
  const { file, measured, summarized } = value;
  return isCount(measured) && isCount(summarized) ? { file, measured, summarized } : undefined;
}

/** Undefined when there is none, it cannot be understood, or there is no page that it could belong to. */
export function readNotesState(folder: string): NotesState | undefined {
  const value = parseJson(readIfThere(stateFile(folder)) ?? "");
  if (!isObject(value) || value.version !== 1 || !isObject(value.size)) return undefined;
  const { tokens, toolCalls, compactions } = value.size;
  if (!isCount(tokens) || !isCount(toolCalls) || !isCount(compactions)) return undefined;
  if (readNotesText(folder) === undefined) return undefined;
  const source = readSource(value.source);
  return {
    version: 1,
    size: { tokens, toolCalls, compactions },
    by: value.by === "model" ? "model" : "activity",
    updatedAt: String(value.updatedAt),
    ...defined({ lastSummarizedId: givenText(value.lastSummarizedId), source }),
  };
}

/**
 * The page first, then the state. Interrupted in between, the new page stands with the old state: it is said to reach
 * less far than it does, so that messages are kept that could have gone. The other order would lose messages, and so
 * would two processes that write at once. False, and nothing is written, when the page is not `over` any more.
 */
export function writeNotes(
  folder: string,
  { text, state }: { readonly text: string; readonly state: NotesState },
  over: string | undefined,
) {
  return withLock(path.join(folder, ".lock"), () => {
    if (readNotesText(folder) !== over) return false;
    writeFileAtomic(notesFile(folder), text);
    writeFileAtomic(stateFile(folder), `${JSON.stringify(state, null, 2)}\n`);
    return true;
  });
}
