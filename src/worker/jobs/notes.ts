// Keeps the notes of running sessions current: measures what their transcripts gain, and updates what is due.
import { setImmediate as nextTurn } from "node:timers/promises";
import { transcriptFacts } from "../../archive/index.ts";
import {
  addSizes,
  type ConversationSize,
  type DueReason,
  dueForUpdate,
  type NotesState,
  notesFolder,
  nothingYet,
  readNotesState,
  sizeOf,
  updateNotes,
  usedToolsLast,
} from "../../compact/index.ts";
import {
  type Environment,
  type Home,
  type Pause,
  pauses,
  projectOf,
  rememberingExclusion,
  sessionPlace,
  wasPaused,
} from "../../home/index.ts";
import { openMarks, type TranscriptMarks } from "../../intake/index.ts";
import { errorText, fileSize, SECOND, systemClock } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { redactValue } from "../../redact/index.ts";
import { languageModel, readableSettings } from "../../settings/index.ts";
import type { CapturedEvent } from "../../spool/index.ts";
import { findModel } from "../../tokens/index.ts";
import { readConversation, type TranscriptItem } from "../../transcript/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";

export interface NotesJobParts {
  readonly home: Home;
  /** What holds in a folder of work; undefined when notes are not wanted there. */
  readonly settingsFor: (cwd: string) => { readonly model?: LanguageModel | undefined } | undefined;
  readonly redact: <T>(value: T) => T;
  readonly pauses: () => readonly Pause[];
  readonly isExcluded: (cwd: string) => boolean;
  /** The moment from which on a session is its own: what a fork copied, or what was before a resume, is not noted. */
  readonly since: (session: string) => Promise<number>;
  /** The byte of a transcript up to which it was forgotten. */
  readonly forgottenUpTo: (transcript: string) => number;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly settleMs?: number;
}

export interface NotesJob extends Required<Omit<BackgroundJob, "start">> {
  /** Runs something while no notes are written. A model that is being asked is not waited for. */
  without<T>(work: () => Promise<T>): Promise<T>;
}

/** Rows are written a moment after the hooks that tell of them. */
const UPDATE_AFTER_MS = 2 * SECOND;

/** How much of a conversation is looked at again, so that requests, todos and errors are seen with how they ended. */
const LOOK_BACK_BYTES = 2 * 1024 * 1024;

/** A session that is being worked on. */
interface Watched extends NotedSession {
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
  /** Nothing more will come of it. */
  isOver: boolean;
}

interface Gauge {
  /** Behind the last byte that was measured. */
  readonly measured: number;
  readonly size: ConversationSize;
  readonly usedTools: boolean;
}

const notedKinds: ReadonlySet<CapturedEvent["kind"]> = new Set([
  "tool",
  "tool-failure",
  "stop",
  "post-compact",
  "session-end",
] as const);

export function makeNotesJob(parts: NotesJobParts): NotesJob {
  const sessions = new Map<string, Watched>();
  let isStopping = false;
  let interrupting = new AbortController();
  let held: Promise<unknown> = Promise.resolve();
  const look = (watched: Watched) => {
    clearTimeout(watched.timer);
    watched.timer = undefined;
    // One at a time: what comes in meanwhile is looked at once more behind it.
    const next = Promise.all([watched.running, held]).then(() =>
      updateSession(parts, watched, interrupting.signal),
    );
    watched.running = next;
    void next.then(() => {
      if (watched.running !== next) return;
      watched.running = undefined;
      if (watched.isOver && !watched.timer) sessions.delete(watched.transcript);
    });
  };
  const settled = (): Promise<unknown> => Promise.all([...sessions.values()].map(({ running }) => running));
  const note = ({ kind, agent, transcript, session }: CapturedEvent) => {
    // A subagent's events carry its name; its findings come back in the main thread.
    if (agent !== undefined || transcript === undefined || !notedKinds.has(kind)) return;
    const watched: Watched = sessions.get(transcript) ?? {
      session,
      transcript,
      timer: undefined,
      running: undefined,
      gauge: undefined,
      isOver: false,
    };
    sessions.set(transcript, watched);
    watched.isOver = kind === "session-end";
    // Not set anew: while a session is busy its events would put it off for ever.
    watched.timer ??= setTimeout(look, parts.settleMs ?? UPDATE_AFTER_MS, watched);
  };
  return {
    note: (events) => {
      if (!isStopping) for (const event of events) note(event);
    },
    async without(work) {
      interrupting.abort();
      const done = settled().then(work);
      held = done.catch(() => undefined);
      try {
        return await done;
      } finally {
        interrupting = new AbortController();
      }
    },
    busy: () =>
      [...sessions.values()].some(({ timer, running }) => timer !== undefined || running !== undefined),
    stop: async () => {
      isStopping = true;
      interrupting.abort();
      for (const watched of sessions.values()) if (watched.timer) look(watched);
      await settled();
    },
  };
}

/** Never rejects: what goes wrong is tried again with the session's next event. */
async function updateSession(parts: NotesJobParts, watched: Watched, signal: AbortSignal) {
  try {
    await bringUpToDate(parts, watched, { signal });
  } catch (error) {
    const { session } = watched;
    parts.log.warn({ session, problem: errorText(error) }, "notes.failed");
  }
}

/** What is known of a session whose notes are to be brought up to date. */
interface NotedSession {
  readonly session: string;
  readonly transcript: string;
  /** Measured so far; undefined until it was looked at once. */
  gauge: Gauge | undefined;
}

/** Updates the notes if they are due, or in any case when they are `asked` for. Undefined: nothing was written. */
async function bringUpToDate(
  parts: NotesJobParts,
  noted: NotedSession,
  { signal, asked }: { readonly signal: AbortSignal; readonly asked?: boolean },
) {
  const { session, transcript } = noted;
  const { cwd } = await transcriptFacts(transcript);
  const settings = cwd === undefined || parts.isExcluded(cwd) ? undefined : parts.settingsFor(cwd);
  if (cwd === undefined || !settings) return undefined;
  const folder = notesFolder(sessionPlace(parts.home, projectOf(cwd).id, session));
  const found = readNotesState(folder);
  const state = found?.source?.file === transcript ? found : undefined;
  const gauge = await measured(noted, state, parts.forgottenUpTo(transcript));
  noted.gauge = gauge;
  const { size, usedTools: lastTurnUsedTools } = gauge;
  const due = dueForUpdate({ size, lastTurnUsedTools, isMainThread: true }, state?.size);
  const reason = asked ? "asked" : due;
  if (reason === undefined) return undefined;
  const model = signal.aborted ? undefined : settings.model;
  return update(parts, { folder, state, noted, gauge, reason, model, signal });
}

/** Reads what the transcript has gained and adds it up. */
async function measured(
  { transcript, gauge: known }: NotedSession,
  state: NotesState | undefined,
  forgotten: number,
): Promise<Gauge> {
  const nothing: Gauge = { measured: forgotten, size: nothingYet, usedTools: true };
  const saved = state?.source && { ...nothing, measured: state.source.measured, size: state.size };
  const last = known ?? saved ?? nothing;
  // A file that has become shorter is another file; one that was forgotten begins where that ended.
  const isOther = last.measured > fileSize(transcript) || last.measured < forgotten;
  const before = isOther ? nothing : last;
  const part = await readConversation(transcript, { from: before.measured });
  const said = part.items.filter(({ isCopy }) => !isCopy);
  return {
    measured: part.end,
    size: addSizes(before.size, sizeOf(said, findModel(part.models.at(-1) ?? "")?.tokenizer ?? "new")),
    usedTools: usedToolsLast(said) ?? before.usedTools,
  };
}

interface Due {
  readonly folder: string;
  readonly state: NotesState | undefined;
  readonly noted: NotedSession;
  readonly gauge: Gauge;
  readonly reason: DueReason | "asked";
  readonly model: LanguageModel | undefined;
  readonly signal: AbortSignal;
}

/** Undefined when there is nothing that may be noted. */
async function update(parts: NotesJobParts, job: Due) {
  const { folder, state, noted, gauge, reason, model, signal } = job;
  const { transcript: file, session } = noted;
  const earliest = Math.max(0, fileSize(file) - LOOK_BACK_BYTES);
  const from = Math.max(parts.forgottenUpTo(file), Math.min(state?.source?.summarized ?? 0, earliest));
  const conversation = await readConversation(file, { from });
  const isWanted = wantedItems(parts, await parts.since(session));
  const history = conversation.items.filter((item) => !item.isCopy && isWanted(item));
  if (history.length === 0) return undefined;
  const { title } = conversation;
  const began = performance.now();
  const updated = await updateNotes({
    folder,
    history,
    size: gauge.size,
    // In turns: a long scan must not keep hooks waiting for their answers.
    redact: async (value) => {
      await nextTurn();
      return parts.redact(value);
    },
    model,
    title: title?.source === "prompt" ? undefined : title?.text,
    source: { file, measured: gauge.measured, end: conversation.end },
    signal,
  });
  const { by } = updated.state;
  const ms = Math.round(performance.now() - began);
  parts.log.info({ session, due: reason, by, ms }, "notes.updated");
  if (updated.problem !== undefined)
    parts.log.warn({ session, problem: updated.problem }, "notes.model-failed");
  return updated;
}

/** Nothing is noted of pauses and of folders in which nothing is captured. */
function wantedItems(parts: NotesJobParts, since: number): (item: TranscriptItem) => boolean {
  const paused = parts.pauses();
  const isExcluded = rememberingExclusion(parts.isExcluded);
  return ({ at, folders = [], isApiError }) =>
    !isApiError && !(at !== undefined && (at < since || wasPaused(paused, at))) && !folders.some(isExcluded);
}

/** Undefined where notes are off, or the files cannot be read: then nothing is noted yet. */
export function notesSettings(home: Home, env: Environment): NotesJobParts["settingsFor"] {
  return (cwd) => {
    const user = readableSettings({ home, env });
    if (!user || readableSettings({ home, cwd, env })?.notes.enabled !== true) return undefined;
    // A file in a repository must not decide which server conversations are sent to.
    return { model: languageModel(user, { home, env }) };
  };
}

export function notesParts(
  { home, isExcluded }: Pick<NotesJobParts, "home" | "isExcluded">,
  marks: TranscriptMarks,
): Omit<NotesJobParts, "settingsFor" | "since" | "log"> {
  return {
    home,
    redact: (value) => redactValue(value).value,
    pauses: () => pauses(home),
    isExcluded,
    forgottenUpTo: (transcript) => marks.get(transcript)?.forgotten ?? 0,
  };
}

/** Brings the notes of one session up to date on request, whether they are due or not. */
export function updateNotesNow(
  parts: Pick<NotesJobParts, "home" | "isExcluded"> & { readonly model: LanguageModel | undefined },
  noted: { readonly session: string; readonly transcript: string },
) {
  const { home, model } = parts;
  const notes = {
    ...notesParts(parts, openMarks(home, systemClock.now())),
    settingsFor: () => ({ model }),
    // A session that is named is meant as a whole.
    since: () => Promise.resolve(0),
    log: { info: () => undefined, warn: () => undefined },
  };
  // A command is interrupted by its user alone, and then it is gone.
  const { signal } = new AbortController();
  return bringUpToDate(notes, { ...noted, gauge: undefined }, { signal, asked: true });
}
