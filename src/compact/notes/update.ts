// Brings a session's notes up to date on disk: from activity first, then in better words where a model answers.
import { type Clock, defined, systemClock } from "../../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  isToolUse,
} from "../../messages/index.ts";
import { complete } from "../../models/complete.ts";
import type { LanguageModel, ModelReply } from "../../models/index.ts";
import { modelTranscript } from "../transcriptText.ts";
import { defaultNotesBudget, type NotesBudget, notesTokens, withinBudget } from "./budget.ts";
import {
  type ConversationSize,
  type NotesSource,
  type NotesState,
  readNotesState,
  readNotesText,
  writeNotes,
} from "./files.ts";
import { updateFromActivity } from "./fromActivity.ts";
import { CLOSE_NOTES, NOTES_SYSTEM, notesPrompt, OPEN_NOTES } from "./prompt.ts";
import { safeLastId } from "./rule.ts";
import {
  type Acceptance,
  acceptUpdate,
  makeNotes,
  noteSections,
  parseNotes,
  renderNotes,
} from "./template.ts";

/** An update of the notes: the conversation, its size, and who writes. */
export interface NotesUpdate {
  /** The session's `notesFolder`. */
  readonly folder: string;
  /** The conversation, or as much of its end as is at hand: at least everything since the last update. */
  readonly history: History;
  /** Of the whole conversation. */
  readonly size: ConversationSize;
  /** Hides secrets and private text in any JSON value; nothing is noted or sent that has not passed it. */
  readonly redact: <T>(value: T) => T | Promise<T>;
  /** Writes better words. Absent: none is asked. */
  readonly model?: LanguageModel | undefined;
  /** The session's title, when it has one. */
  readonly title?: string | undefined;
  /** The file that `history` was read from, how far `size` has measured it, and how far it was read. */
  readonly source?: NotesReading | undefined;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** The transcript that an update read, and how far. */
interface NotesReading {
  readonly file: string;
  readonly measured: number;
  readonly end: number;
}

/** What came of an update. */
export interface NotesUpdated {
  readonly text: string;
  readonly state: NotesState;
  /** Why a model's answer was not taken, when one was asked. */
  readonly problem?: string;
}

/** A model is shown what would be dropped otherwise, with the request to shorten it. */
const roomy: NotesBudget = { section: 2 * defaultNotesBudget.section, total: 2 * defaultNotesBudget.total };

/** Room for a page at twice its budget, so that one that is too long arrives whole and is shortened next time. */
const NOTES_ANSWER_TOKENS = 24_000;

/** Never rejects for what a model does or does not do; throws when the notes cannot be written. */
export async function updateNotes(update: NotesUpdate): Promise<NotesUpdated> {
  const { folder, size, source, clock = systemClock } = update;
  const before = readNotesState(folder);
  const { redact } = update;
  const found = readNotesText(folder);
  const old = await redactedPage(found ?? "", redact);
  const history = await redactedHistory(update.history, redact);
  const draft = updateFromActivity({
    old,
    history,
    lastSummarizedId: before?.lastSummarizedId,
    title: await redact(update.title),
    budget: roomy,
  });
  const asked = await inBetterWords(update, { old, draft, history, before });
  const lastSummarizedId = safeLastId(history, before?.lastSummarizedId);
  const text = await redactedPage(asked.text, redact);
  const reached = source && reach(source, before, lastSummarizedId !== before?.lastSummarizedId);
  const state: NotesState = {
    version: 1,
    ...defined({ lastSummarizedId }),
    size,
    by: asked.by,
    updatedAt: new Date(clock.now()).toISOString(),
    ...defined({ source: reached }),
  };
  // The page may have changed while the model wrote: such a change is not overwritten.
  if (!(await writeNotes(folder, { text, state }, found)))
    return updateNotes({ ...update, model: undefined });
  return { text, state, ...defined({ problem: asked.problem }) };
}

/** Where the next update reads on: behind everything, or where this one began when a call was still open. */
function reach(
  { file, measured, end }: NotesReading,
  before: NotesState | undefined,
  hasAdvanced: boolean,
): NotesSource {
  const known = before?.source?.file === file ? before.source.summarized : 0;
  return { file, measured, summarized: hasAdvanced ? end : known };
}

/** Section by section: what is wrong in one must not hide the headings behind it. */
async function redactedPage(text: string, redact: NotesUpdate["redact"]) {
  const notes = parseNotes(text);
  const hidden = new Map<string, string>();
  for (const section of noteSections) hidden.set(section, await redact(notes[section]));
  return renderNotes(makeNotes((section) => hidden.get(section) ?? ""));
}

/** Before anything is shortened: a secret that was cut in two would no longer be known for one. */
async function redactedHistory(history: History, redact: NotesUpdate["redact"]): Promise<History> {
  const hidden = async (block: Block) => {
    if (isText(block)) return { ...block, text: await redact(block.text) };
    if (isToolUse(block)) return { ...block, input: await redact(block.input) };
    return isToolResult(block) ? { ...block, content: await redact(block.content) } : block;
  };
  const items: HistoryItem[] = [];
  for (const item of history) {
    const content: Block[] = [];
    for (const block of blocksOf(item.message)) content.push(await hidden(block));
    items.push({ ...item, message: { ...item.message, content } });
  }
  return items;
}

interface NotesDraft {
  readonly old: string;
  readonly draft: string;
  readonly history: History;
  readonly before: NotesState | undefined;
}

interface NotesWords {
  readonly text: string;
  readonly by: NotesState["by"];
  readonly problem?: string;
}

async function inBetterWords({ model, signal }: NotesUpdate, given: NotesDraft): Promise<NotesWords> {
  const { old, draft, history, before } = given;
  const short = renderNotes(withinBudget(parseNotes(draft), defaultNotesBudget));
  if (!model || model.name === "none") return { text: short, by: "activity" };
  const start = history.findIndex(({ id }) => id === before?.lastSummarizedId) + 1;
  const outcome = await complete(
    model,
    {
      purpose: "notes",
      system: NOTES_SYSTEM,
      messages: [
        { role: "user", content: notesPrompt({ notes: draft, record: recordOf(history.slice(start)) }) },
      ],
      thinking: "off",
      maxTokens: NOTES_ANSWER_TOKENS,
    },
    defined({ signal }),
  );
  if (!outcome.ok) return { text: short, by: "activity", problem: outcome.error.message };
  const accepted = acceptAnswer(old, outcome.reply);
  return accepted.ok
    ? { text: accepted.text, by: "model" }
    : { text: short, by: "activity", problem: `the answer was not taken: ${accepted.problem}` };
}

const RECORD_TOKENS = 60_000;
const LEFT_OUT = "(Earlier messages are left out here; the notes below already hold what they say.)";

/** The newest part of the conversation that a model can be given. What is older is in the draft already. */
function recordOf(history: History) {
  let start = history.length;
  for (let room = RECORD_TOKENS; start > 0; start--) {
    room -= notesTokens(modelTranscript(history.slice(start - 1, start)));
    if (room < 0) break;
  }
  const record = modelTranscript(history.slice(Math.min(start, Math.max(0, history.length - 1))));
  return start > 0 ? `${LEFT_OUT}\n\n${record}` : record;
}

/** The page in an answer, if it is one that can be taken. */
function acceptAnswer(old: string, reply: ModelReply): Acceptance {
  if (reply.stopReason === "tool_use" || reply.blocks.some(isToolUse))
    return { ok: false, problem: "it called a tool" };
  if (reply.stopReason === "max_tokens") return { ok: false, problem: "it was cut off" };
  const { text } = reply;
  const from = text.indexOf(OPEN_NOTES);
  const to = text.lastIndexOf(CLOSE_NOTES);
  if (from < 0 || to < from) return { ok: false, problem: "there is no page in it" };
  return acceptUpdate(
    old,
    text
      .slice(from + OPEN_NOTES.length, to)
      .replaceAll("<\\/notes>", CLOSE_NOTES)
      .trim(),
  );
}
