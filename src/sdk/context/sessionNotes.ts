// Keeps a session's notes in the background: measures what a conversation gained, and updates the page when it is due.
import {
  addSizes,
  type ConversationSize,
  dueForUpdate,
  nothingYet,
  readNotes,
  readNotesState,
  type SessionNotes,
  sizeOf,
  updateNotes,
} from "../../compact/index.ts";
import { defined, errorText, serialQueue } from "../../lib/index.ts";
import { blocksOf, type History, isToolUse, type Message } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import type { Session } from "../../pipeline/index.ts";
import { redactValue } from "../../redact/index.ts";
import type { TokenizerFamily } from "../../tokens/index.ts";
import type { ContextWarning } from "./types.ts";

interface NotesKeeping {
  readonly session: Session;
  /** The session's `notesFolder`. */
  readonly folder: string;
  /** Writes better words; absent: the notes are made of what happened. */
  readonly model: LanguageModel | undefined;
  warn(warning: ContextWarning): void;
}

export interface BackgroundNotes {
  read(): SessionNotes | undefined;
  /** Called after a response, with the conversation before it. Returns at once. */
  follow(history: History, reply: Message, family: TokenizerFamily): void;
  /** Resolves when no update is running. */
  idle(): Promise<void>;
}

export function backgroundNotes({ session, folder, model, warn }: NotesKeeping): BackgroundNotes {
  const queue = serialQueue();
  let measured: {
    readonly count: number;
    readonly last: string | undefined;
    readonly size: ConversationSize;
  } = { count: 0, last: undefined, size: nothingYet };
  const measure = (history: History, family: TokenizerFamily) => {
    const isLonger = measured.count <= history.length && history[measured.count - 1]?.id === measured.last;
    const known = isLonger ? measured : { count: 0, size: nothingYet };
    const size = addSizes(known.size, sizeOf(history.slice(known.count), family));
    measured = { count: history.length, last: history.at(-1)?.id, size };
    return {
      ...size,
      compactions: session.ledger.entries().filter(({ edit }) => edit.kind === "replace-prefix").length,
    };
  };
  let waiting = false;
  const update = async (history: History, reply: Message, size: ConversationSize) => {
    waiting = false;
    const before = readNotesState(folder);
    const lastTurnUsedTools = blocksOf(reply).some(isToolUse);
    if (!dueForUpdate({ size, lastTurnUsedTools, isMainThread: true }, before?.size)) return;
    const from = history.findIndex(({ id }) => id === before?.lastSummarizedId);
    const { problem } = await updateNotes({
      folder,
      history: history.slice(Math.max(0, from)),
      size,
      redact: (value) => redactValue(value).value,
      ...defined({ model }),
    });
    if (problem !== undefined) warn({ code: "notes", message: problem });
  };
  return {
    read: () => readNotes(folder),
    follow(history, reply, family) {
      const size = measure(history, family);
      // One update at a time; what comes meanwhile is measured and taken in by the next.
      if (waiting) return;
      waiting = true;
      queue
        .run(() => update(history, reply, size))
        .catch((error: unknown) => warn({ code: "notes", message: errorText(error) }));
    },
    idle: () => queue.idle(),
  };
}
