// A compaction of Claude Code's conversation, made here: summary, what was announced, and the newest messages.

import { summaryText } from "../activity/index.ts";
import { notesFolder, readNotes, readNotesState } from "../compact/index.ts";
import { type Home, projectOf, sessionPlace } from "../home/index.ts";
import { activeEntries, type LedgerEntry, memoryLedger } from "../ledger/index.ts";
import {
  BoundedMap,
  defined,
  errorText,
  givenText,
  isoTime,
  type JsonObject,
  readForeign,
  SECOND,
  sumOf,
  systemClock,
  timeOrderedId,
  withinTime,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { HistoryItem } from "../messages/index.ts";
import type { LanguageModel } from "../models/index.ts";
import {
  type HostSummary,
  memorySession,
  type PrepareInput,
  prepareWithModel,
  prepareWithSummary,
  type Session,
  waitingMarks,
} from "../pipeline/index.ts";
import { redactText } from "../redact/index.ts";
import { estimateTokens, lookupModel } from "../tokens/index.ts";
import { type Conversation, readConversation } from "../transcript/index.ts";
import { jsonPieces, nameOf } from "../vault/index.ts";
import type { ModsSavings } from "./account.ts";
import {
  announcements,
  type HostRow,
  messagesOfRows,
  originalMessages,
  readHostRows,
  rowOfMessage,
  wholeMessages,
} from "./hostRows.ts";
import type { Asker, ModsOp } from "./protocol.ts";
import type { HostWindow, OpenWindow } from "./windows.ts";

/** A file that is given back after a compaction is cut far below this. */
const MOST_FILE_BYTES = 4_000_000;

interface CompactionParts {
  readonly home: Home;
  readonly openWindow: OpenWindow;
  /** The model that writes the summary, where the user's settings name one. */
  readonly languageModel: () => LanguageModel | undefined;
  /** Takes the snapshot and the archive while the whole window is still there. */
  readonly announce: (asker: Asker, trigger: string, instructions: string | undefined) => Promise<void>;
  readonly savings: ModsSavings;
  readonly log: Pick<Logger, "info" | "warn">;
}

async function conversationOf({ transcript, session }: Asker, log: CompactionParts["log"]) {
  if (transcript === undefined) return undefined;
  try {
    return await readConversation(transcript);
  } catch (error) {
    log.warn({ session, problem: errorText(error) }, "mods.transcript-unreadable");
    return undefined;
  }
}

function messagesToCompact(conversation: Conversation | undefined, rows: readonly HostRow[]) {
  if (!conversation) return { history: wholeMessages(rows) ?? [], announced: [] };
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
 * The window that the pipeline is to make of the originals. What it decides is carried out by Claude Code: in this
 * session's own ledger nothing is replayed, so that the pipeline works on one of its own, with the same vault.
 */
function requestOf(
  { home }: CompactionParts,
  window: HostWindow,
  tokens: number,
  asker: Asker,
  history: readonly HistoryItem[],
): PrepareInput {
  const { session, model } = window;
  const { settings, vault, results } = session;
  const models = withWindow(window, tokens);
  const ledger = pinsOf(session);
  const own: Session = { ...memorySession(session.id, { settings, models }), ledger, vault, results };
  const folder = notesFolder(sessionPlace(home, projectOf(asker.project).id, asker.session));
  // Claude's own summary is better than notes that no model wrote; `seed` takes any.
  const isTaken = settings.policy === "seed" || readNotesState(folder)?.by === "model";
  return {
    session: own,
    messages: history.map(({ message }) => message),
    ids: history.map(({ id }) => id),
    provenance: history,
    model,
    compact: {},
    surroundings: { readFile: (file) => readForeign(file, MOST_FILE_BYTES) },
    ...defined({ notes: isTaken ? readNotes(folder) : undefined }),
  };
}

/** Prepared with Claude's own summary; without one by notes or the model of the user's settings. */
function prepareWindow(
  request: PrepareInput,
  summary: HostSummary | undefined,
  words: LanguageModel | undefined,
  instructions: string | undefined,
) {
  if (summary) return prepareWithSummary(request, summary);
  return prepareWithModel(
    request,
    words && {
      model: words,
      redact: (part) => redactText(part).text,
      ...(instructions !== undefined && { instructions: [instructions] }),
    },
  );
}

/** What Claude Code's own compaction gave: its summary without the words around it, and the first message that it kept. */
function hostSummary(body: JsonObject, history: readonly HistoryItem[]): HostSummary | undefined {
  const text = givenText(body.summary);
  if (text === undefined) return undefined;
  const kept = givenText(body.keptFrom);
  const unread = history.find(
    ({ id, uuids }) => kept !== undefined && (id === kept || uuids?.includes(kept)),
  );
  return { text: summaryText(text).trim(), unread: unread?.id };
}

/** Of rows that came without their content the length is known: they are taken to be as dense as the others. */
function tokensOf(rows: readonly HostRow[], { model, values }: HostWindow) {
  const messages = messagesOfRows(rows).map(({ message }) => message);
  const tokens = estimateTokens(messages, { model: lookupModel(model, values.models) });
  const bare = sumOf(rows, ({ size = 0 }) => size);
  return bare === 0 ? tokens : Math.round(tokens * (1 + bare / Math.max(1, JSON.stringify(messages).length)));
}

/** Behind the summary, so that the window still begins with it. */
function withAnnouncements(rows: readonly HostRow[], announced: readonly string[]): HostRow[] {
  const [summary, ...rest] = rows;
  if (!summary || announced.length === 0) return [...rows];
  return [summary, { role: "user", text: announced.join("\n\n"), toolUses: [] }, ...rest];
}

/** The mod is to have Claude Code's own summary written, and to ask again with it. */
const WANTS_SUMMARY = { wantsSummary: true } as const;

/**
 * Asked with `{ trigger, instructions, messages }`: answers `{ messages }` of notes or a model of the user's, else wants
 * Claude's own summary. With `summary` and `keptFrom` answers the window with it; with `isRefused` (Claude Code could not
 * write one) makes it of the messages. Declines where nothing can be compacted, or Claude Code's own window is better.
 */
export function compactionOp(parts: CompactionParts): ModsOp {
  return async (asker, body) => {
    const instructions = givenText(body.instructions);
    const rows = readHostRows(body.messages);
    const { history: whole, announced } = messagesToCompact(await conversationOf(asker, parts.log), rows);
    const window = parts.openWindow(asker);
    const { history, entries: granted } = applyPendingMarks(window.session, whole);
    if (history.length === 0) return undefined;
    const summary = hostSummary(body, history);
    const before = tokensOf(rows, window);
    const request = requestOf(parts, window, before, asker, history);
    const words = parts.languageModel();
    const isFirst = summary === undefined && body.isRefused !== true;
    if (isFirst && !request.notes && !words) return WANTS_SUMMARY;
    const prepared = await prepareWindow(request, summary, words, instructions);
    const { compaction, tokens, edits } = prepared.receipt;
    // Claude Code compacts a conversation of a few messages no better, but it says so in its own words.
    if (!compaction) return undefined;
    if (compaction.from === "messages" && isFirst) return WANTS_SUMMARY;
    if (summary && compaction.from !== "model") {
      parts.log.info({ session: asker.session, why: compaction.refused.map(({ why }) => why) }, "mods.left");
      return undefined;
    }
    // Claude Code reports a compaction of its own by itself.
    if (!summary) await parts.announce(asker, givenText(body.trigger) ?? "auto", instructions);
    const change = { before, after: tokens.after };
    // Claude Code stores what it is given: the ledger is the journal of it, and replays nothing.
    window.session.ledger.append([...granted, ...edits.map((entry) => ({ ...entry, by: "host" as const }))]);
    parts.savings.compaction(asker.session, change);
    parts.log.info({ session: asker.session, ...change, words: compaction.from }, "mods.compacted");
    const made = prepared.messages.flatMap((message) => rowOfMessage(message) ?? []);
    return { messages: withAnnouncements(made, announced), line: parts.savings.line(asker.session) };
  };
}

/** Claude Code ends a request after 30 s. */
const ANSWER_WITHIN_MS = 20 * SECOND;
/** A bound for sessions that never ask again. */
const MOST_UNDERWAY = 50;

/** One piece of work a session. Asked with `{ again: true }` it waits on for what is under way, and begins nothing. */
export function withLongPolling(op: ModsOp, withinMs: number = ANSWER_WITHIN_MS): ModsOp {
  const underway = new BoundedMap<string, ReturnType<ModsOp>>(MOST_UNDERWAY);
  return async (asker, body) => {
    const { session } = asker;
    const work = body.again === true ? underway.get(session) : op(asker, body);
    if (!work) return undefined;
    underway.set(session, work);
    let result: Awaited<typeof work> | "late";
    try {
      result = await withinTime(work, withinMs);
      return result === "late" ? { isUnderway: true } : result;
    } finally {
      if (result !== "late") underway.delete(session);
    }
  };
}

/** Pins hold in a compaction as anywhere: the ledger that it is planned with knows them. */
function pinsOf(session: Session) {
  const pins = activeEntries(session.ledger.entries()).filter(({ edit }) => /^(un)?pin$/.test(edit.kind));
  return memoryLedger(pins);
}

function wantedItems({ edit }: LedgerEntry) {
  const wanted = edit.kind === "mark" && edit.wanted.kind === "remove-turn" ? edit.wanted.items : [];
  return new Set(Array.isArray(wanted) ? wanted.map(String) : []);
}

/**
 * Takes marked turns out of the history, into the vault first; `entries` are to be recorded once the compaction is made. A
 * mark whose turn is not here any more is left as it is.
 */
function applyPendingMarks(session: Session, history: readonly HistoryItem[]) {
  const now = systemClock.now();
  let left = history;
  const entries = waitingMarks(session).flatMap((mark): LedgerEntry[] => {
    const wanted = wantedItems(mark);
    const leaving = left.filter(({ id }) => wanted.has(id));
    const [first] = leaving;
    if (!first) return [];
    left = left.filter(({ id }) => !wanted.has(id));
    const content = JSON.stringify(leaving.map(({ message }) => message));
    const origin = { session: session.id, level: "snip", item: first.id };
    session.vault.put(content, origin, jsonPieces(content));
    return [
      {
        v: 1,
        id: timeOrderedId("e", now),
        at: isoTime(now),
        by: "host",
        level: "snip",
        why: mark.why,
        edit: { kind: "remove-turn", turn: first.id, items: leaving.map(({ id }) => id) },
        handles: [nameOf(content).handle],
        settles: mark.id,
      },
    ];
  });
  return { history: left, entries };
}
