// A compaction of Claude Code's conversation, made here: summary, what was announced, and the newest messages.
import { notesFolder, readNotes } from "../compact/index.ts";
import { type Home, projectOf, sessionPlace } from "../home/index.ts";
import { errorText, givenText, readForeign } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { HistoryItem } from "../messages/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { memorySession, type Prepared, prepareWithModel, type Session } from "../pipeline/index.ts";
import { redactText } from "../redact/index.ts";
import { estimateTokens, lookupModel } from "../tokens/index.ts";
import { type Conversation, readConversation } from "../transcript/index.ts";
import type { Savings } from "./account.ts";
import { type HostRow, messagesOfRows, readHostRows, rowOfMessage, wholeMessages } from "./hostRows.ts";
import type { Asker, ModsOp } from "./model.ts";
import { announcements, originalMessages } from "./originals.ts";
import { applyPendingMarks, pinsOf } from "./pendingMarks.ts";
import type { HostWindow, OpenWindow } from "./windows.ts";

/** A file that is given back after a compaction is cut far below this. */
const MOST_FILE_BYTES = 4_000_000;

interface CompactionParts {
  readonly home: Home;
  readonly openWindow: OpenWindow;
  /** Who writes better words, where the user's settings name one. */
  readonly languageModel: () => LanguageModel | undefined;
  /** Has snapshot and archive made while the whole window is still there. */
  readonly announce: (asker: Asker, trigger: string, instructions: string | undefined) => Promise<void>;
  readonly savings: Savings;
  readonly log: Pick<Logger, "info" | "warn">;
}

interface Told {
  readonly history: readonly HistoryItem[];
  readonly announced: readonly string[];
}

async function conversationOf(
  { transcript, session }: Asker,
  log: CompactionParts["log"],
): Promise<Conversation | undefined> {
  if (transcript === undefined) return undefined;
  try {
    return await readConversation(transcript);
  } catch (error) {
    log.warn({ session, problem: errorText(error) }, "mods.transcript-unreadable");
    return undefined;
  }
}

function toldIn(conversation: Conversation | undefined, rows: readonly HostRow[]): Told {
  if (conversation === undefined) return { history: wholeMessages(rows) ?? [], announced: [] };
  return { history: originalMessages(conversation, rows), announced: announcements(conversation) };
}

/**
 * Claude Code compacts when it finds the window full, which may be far below what the model could take. The
 * conversation as it is now is what fills the room, and is what the result is held against.
 */
function withWindow({ model, values, session }: HostWindow, tokens: number): Session["models"] {
  const { outputReserve, buffer } = session.settings.autocompact;
  const window = Math.min(lookupModel(model, values.models).window, tokens + outputReserve + buffer);
  return { ...values.models, [model]: { ...values.models[model], window } };
}

/**
 * The window that the pipeline would make of the originals. What it decides is carried out by Claude Code: in this
 * session's own ledger nothing is replayed, so that the pipeline works on one of its own, with the same vault.
 */
async function compacted(
  parts: CompactionParts,
  window: HostWindow,
  tokens: number,
  asker: Asker,
  history: readonly HistoryItem[],
  instructions: string | undefined,
): Promise<Prepared> {
  const { session, model } = window;
  const { settings, vault, results } = session;
  const models = withWindow(window, tokens);
  const ledger = pinsOf(session);
  const own: Session = { ...memorySession(session.id, { settings, models }), ledger, vault, results };
  const notes = readNotes(notesFolder(sessionPlace(parts.home, projectOf(asker.project).id, asker.session)));
  const words = parts.languageModel();
  return prepareWithModel(
    {
      session: own,
      messages: history.map(({ message }) => message),
      ids: history.map(({ id }) => id),
      provenance: history,
      model,
      compact: {},
      surroundings: { readFile: (file) => readForeign(file, MOST_FILE_BYTES) },
      ...(notes === undefined ? {} : { notes }),
    },
    words && {
      model: words,
      redact: (part) => redactText(part).text,
      ...(instructions === undefined ? {} : { instructions: [instructions] }),
    },
  );
}

/** Of rows that came without their content the length is known: they are taken to be as dense as the others. */
function tokensOf(rows: readonly HostRow[], { model, values }: HostWindow): number {
  const messages = messagesOfRows(rows).map(({ message }) => message);
  const tokens = estimateTokens(messages, { model: lookupModel(model, values.models) });
  const bare = rows.reduce((sum, { size = 0 }) => sum + size, 0);
  return bare === 0 ? tokens : Math.round(tokens * (1 + bare / Math.max(1, JSON.stringify(messages).length)));
}

/** Behind the summary, so that the window still begins with it. */
function withAnnouncements(rows: readonly HostRow[], announced: readonly string[]): HostRow[] {
  const [summary, ...rest] = rows;
  if (summary === undefined || announced.length === 0) return [...rows];
  return [summary, { role: "user", text: announced.join("\n\n"), toolUses: [] }, ...rest];
}

/** Asked with `{ trigger, instructions, messages }`; answers `{ messages }`, or declines where nothing can be compacted. */
export function compactionOp(parts: CompactionParts): ModsOp {
  return async (asker, body) => {
    const instructions = givenText(body.instructions);
    const rows = readHostRows(body.messages);
    const { history: told, announced } = toldIn(await conversationOf(asker, parts.log), rows);
    const window = parts.openWindow(asker);
    const { history, entries: granted } = applyPendingMarks(window.session, told);
    if (history.length === 0) return undefined;
    const before = tokensOf(rows, window);
    const prepared = await compacted(parts, window, before, asker, history, instructions);
    const { compaction, tokens, edits } = prepared.receipt;
    // Claude Code compacts a conversation of a few messages no better, but it says so in its own words.
    if (compaction === undefined) return undefined;
    await parts.announce(asker, givenText(body.trigger) ?? "auto", instructions);
    const change = { before, after: tokens.after };
    // Claude Code stores what it is given: the ledger is the journal of it, and replays nothing.
    window.session.ledger.append([...granted, ...edits.map((entry) => ({ ...entry, by: "host" as const }))]);
    parts.savings.compaction(asker.session, change);
    parts.log.info({ session: asker.session, ...change, words: compaction.from }, "mods.compacted");
    const made = prepared.messages.flatMap((message) => rowOfMessage(message) ?? []);
    return { messages: withAnnouncements(made, announced), line: parts.savings.line(asker.session) };
  };
}
