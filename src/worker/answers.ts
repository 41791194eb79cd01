// Answers hooks: a session's snapshot, the project's memories and the index of earlier sessions, or what a prompt needs, within
// one budget. What the next session in a folder is told is also kept in a file, for hooks that cannot reach a worker.
import { randomBytes } from "node:crypto";
import { answerFile, type Environment, type Home, type Language, languageOf } from "../home/index.ts";
import {
  aboutWork,
  contextOf,
  fileText,
  type HookAnswer,
  type HookReply,
  injectWords,
  joinTexts,
  personLine,
  promptText,
  startText,
} from "../inject/index.ts";
import {
  BoundedMap,
  type Clock,
  defined,
  errorText,
  givenText,
  isObject,
  optionalString,
  readJson,
  removeFile,
  SECOND,
  serialQueue,
  withinTime,
  writeJson,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { MemorySource } from "../search/index.ts";
import { readableSettings } from "../settings/index.ts";
import { CONTEXT_LIMIT, gitState, readSource, type StartSource, startOutput } from "../snapshot/index.ts";
import { type CapturedEvent, type EventKind, isCapturedEvent } from "../spool/index.ts";
import type { Store } from "../store/index.ts";
import type { StaleMemories } from "../tools/index.ts";
import type { BackgroundJob } from "./backgroundJob.ts";
import { hookBudget } from "./hookBudget.ts";
import type { Snapshots } from "./jobs/snapshot.ts";
import type { MemoryText } from "./memoryText.ts";

export interface InjectSettings {
  readonly enabled: boolean;
  /** Of the index, and of the list of memories. */
  readonly tokens: number;
  /** Whether prompts are answered too. */
  readonly prompts: boolean;
  /** Whether the model is told about a file that it opens. */
  readonly files: boolean;
  readonly language: Language;
}

interface AnswerParts {
  readonly home: Home;
  readonly store: Store;
  readonly snapshots: Pick<Snapshots, "start" | "save">;
  readonly memories: MemoryText;
  /** The memories that a prompt from a folder may need. */
  readonly memoriesFrom: (folder: string) => MemorySource;
  /** The settings for work in a folder. */
  readonly settingsFor: (folder: string) => InjectSettings;
  readonly isExcluded: (folder: string) => boolean;
  /** One line that a person is to see at the start of a session; given once. */
  readonly notice?: (language: Language) => string | undefined;
  /** The same about the settings of the project that the session starts in. */
  readonly noticeFor?: (folder: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds until what happened is in the answers that lie ready. */
  readonly settleMs?: number;
}

interface Answers extends Required<Pick<BackgroundJob, "note" | "stop">> {
  answer(event: CapturedEvent, project: string | undefined): Promise<HookAnswer>;
  /** The answer to what a hook sends, `{ event, project }`, as it prints it. */
  reply(args: unknown): Promise<HookReply>;
  /** The answer to the hook of a file that is about to be read, `{ session, folder, file }`. */
  file(args: unknown): Promise<HookReply>;
}

/** What a hook prints for an event and writes into its log. Before a compaction it prints nothing. */
function hookReply(kind: EventKind, answer: HookAnswer): HookReply {
  const { systemMessage: message, toolOutput: updatedToolOutput, log } = answer;
  const context = contextOf(answer);
  if (kind === "session-start" && log)
    return { stdout: startOutput({ context, ...defined({ message }) }), log };
  if (kind === "pre-compact") return defined({ log });
  if (!updatedToolOutput && context === "") return {};
  const hookSpecificOutput = updatedToolOutput
    ? { hookEventName: "PostToolUse", updatedToolOutput }
    : { hookEventName: "UserPromptSubmit", additionalContext: context };
  return { stdout: JSON.stringify({ hookSpecificOutput }) };
}

/** The settings in effect in a folder, or the user's where the project's file cannot be read. */
export function injectSettings(home: Home, env: Environment): (folder: string) => InjectSettings {
  return (folder) => {
    const values = readableSettings({ home, cwd: folder, env }) ?? readableSettings({ home, env });
    // Settings that cannot be read might have said no.
    if (!values) return { enabled: false, tokens: 0, prompts: false, files: false, language: "en" };
    return { ...values.inject, language: languageOf(values.locale, env) };
  };
}

interface ReadyAnswer {
  /** What a hook prints, by the source of a session's start, else by the kind of its event. */
  readonly stdout: Readonly<Record<string, string>>;
  readonly work: KnownWork;
}

/** What was last found out about the work in a folder; a hook does not wait long enough to find it out. */
interface KnownWork {
  readonly branch?: string;
  readonly files?: readonly string[];
  /** Older observations that are about it, by ids. */
  readonly older: readonly number[];
  /** Claims of the project's memories that no longer hold. */
  readonly stale?: StaleMemories;
}

function writeReadyAnswer(home: Home, folder: string, ready: ReadyAnswer) {
  writeJson(answerFile(home, folder), { folder, ...ready });
}

function removeReadyAnswer(home: Home, folder: string) {
  removeFile(answerFile(home, folder));
}

const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string") : undefined;

function readKnownWork(home: Home, folder: string) {
  const ready = readJson(answerFile(home, folder));
  const { branch, files, older, stale } = isObject(ready) && isObject(ready.work) ? ready.work : {};
  return {
    older: Array.isArray(older) ? older.filter((id) => typeof id === "number") : [],
    ...defined({
      branch: optionalString(branch),
      files: textsIn(files),
      stale: isObject(stale)
        ? Object.fromEntries(Object.entries(stale).map(([hash, evidence]) => [hash, textsIn(evidence) ?? []]))
        : undefined,
    }),
  };
}

/** After a compaction the snapshot comes first; so much is left for memories and the index. */
const INDEX_CHARACTERS = 3_000;
/** Of the characters that are left, so much at most is for memories. */
const SHARE_OF_MEMORIES = 0.5;
const SEPARATOR = "\n\n".length;
/** How long git may take while a hook waits, and in the background. */
const HURRIED_MS = 80;
const PATIENT_MS = 2 * SECOND;
const MOST_CHANGED_FILES = 50;
/** The observations of a turn are made a few seconds after it. */
const PREPARE_AFTER_MS = 15 * SECOND;
const REMEMBERED_ANSWERS = 100;
const REMEMBERED_FILES = 5_000;

/** Starts of sessions whose conversation does not hold an earlier answer. */
const fresh: readonly StartSource[] = ["startup", "clear", "compact"];

const nonce = () => randomBytes(4).toString("hex");

/** What git says in time, else what it said when it had more time. */
async function workIn(folder: string, timeoutMs: number, known: KnownWork) {
  const git = await withinTime(gitState(folder), timeoutMs);
  if (git === undefined || git === "late") return known;
  const { branch: _, ...rest } = known;
  const files = git.changed.map((file) => file.path).slice(0, MOST_CHANGED_FILES);
  return { ...rest, files, ...defined({ branch: git.branch }) };
}

const isInjected = (parts: AnswerParts, folder: string) =>
  parts.settingsFor(folder).enabled && !parts.isExcluded(folder);

/** The project's memories, and the index of its sessions. */
async function knowledgeFor(
  parts: AnswerParts,
  folder: string,
  { stale = {}, ...work }: KnownWork,
  characters: number,
) {
  const { tokens, language } = parts.settingsFor(folder);
  const memories = parts.memories.text(folder, stale, {
    ...{ tokens, language, nonce: nonce() },
    characters: characters * SHARE_OF_MEMORIES,
  });
  const index = await startText(parts.store, {
    ...{ folder, ...work, tokens, language, nonce: nonce(), now: parts.clock.now() },
    characters: characters - memories.length - SEPARATOR,
  });
  return { memories, index };
}

/** The line that says to the person that the model was told of earlier sessions. */
function injectionLine(text: string, parts: AnswerParts, folder: string) {
  if (text === "") return undefined;
  const { language } = parts.settingsFor(folder);
  return injectWords[language].told(`${(text.length / 1_000).toFixed(1)} KB`);
}

async function answerStart(parts: AnswerParts, event: CapturedEvent, folder: string) {
  const report = await parts.snapshots.start(event, folder, CONTEXT_LIMIT - INDEX_CHARACTERS);
  const snapshot = report?.context ?? "";
  const left = CONTEXT_LIMIT - snapshot.length - (snapshot === "" ? 0 : SEPARATOR);
  const isTold = fresh.includes(readSource(event.payload.source)) && isInjected(parts, folder);
  const work = isTold && (await workIn(folder, HURRIED_MS, readKnownWork(parts.home, folder)));
  const { memories, index } = work
    ? await knowledgeFor(parts, folder, work, left)
    : { memories: "", index: "" };
  const notice = parts.notice?.(parts.settingsFor(folder).language);
  const about =
    event.payload.source === "compact" ? undefined : injectionLine(joinTexts(memories, index), parts, folder);
  return {
    context: joinTexts(snapshot, memories),
    index,
    ...defined({ systemMessage: personLine(notice, parts.noticeFor?.(folder), report?.message, about) }),
    log: !report || report.decision.reason === "nothing" ? [] : report.lines,
  };
}

async function answerPrompt(parts: AnswerParts, event: CapturedEvent, folder: string) {
  const { enabled, prompts, language } = parts.settingsFor(folder);
  const { prompt } = event.payload;
  if (!enabled || !prompts || typeof prompt !== "string" || parts.isExcluded(folder)) return {};
  const request = { prompt, folder, session: event.session, language, nonce: nonce() };
  const context = await promptText({ store: parts.store, memories: parts.memoriesFrom(folder) }, request);
  return context === "" ? {} : { context };
}

/** Answers for each file once a session: what was said stays in the conversation. */
function fileAnswers(parts: AnswerParts): Answers["file"] {
  const answered = new BoundedMap<string, true>(REMEMBERED_FILES);
  return async (args) => {
    const { session, folder, file } = isObject(args) ? args : {};
    if (typeof session !== "string" || typeof folder !== "string" || typeof file !== "string") return {};
    const { enabled, files, language } = parts.settingsFor(folder);
    const key = JSON.stringify([session, file]);
    if (!enabled || !files || parts.isExcluded(folder) || answered.has(key)) return {};
    answered.set(key, true);
    const context = await fileText(parts.store, { file, folder, session, language, nonce: nonce() });
    if (context === "") return {};
    const hookSpecificOutput = { hookEventName: "PreToolUse", additionalContext: context };
    return { stdout: JSON.stringify({ hookSpecificOutput }) };
  };
}

/** Keeps what the next session in each folder is told in a file, a while after something changed it. */
function makeReadyAnswers(parts: AnswerParts): { changed(folder: string): void; stop(): Promise<void> } {
  const { home, log, settleMs = PREPARE_AFTER_MS } = parts;
  const pending = new Map<string, NodeJS.Timeout>();
  const queue = serialQueue();
  const write = async (folder: string) => {
    try {
      if (!isInjected(parts, folder)) return removeReadyAnswer(home, folder);
      const seen = await workIn(folder, PATIENT_MS, { older: [] });
      const older = await aboutWork(parts.store, { folder, ...seen });
      const stale = (await parts.memories.check(folder)) ?? readKnownWork(home, folder).stale ?? {};
      const work = { ...seen, older, stale };
      const { memories, index } = await knowledgeFor(parts, folder, work, CONTEXT_LIMIT);
      const context = joinTexts(memories, index);
      const message = injectionLine(context, parts, folder);
      const printed =
        message === undefined
          ? []
          : fresh.map((source) => [
              source,
              startOutput({ context, ...(source !== "compact" && { message }) }),
            ]);
      writeReadyAnswer(home, folder, { stdout: Object.fromEntries(printed), work });
    } catch (error) {
      log.warn({ folder, problem: errorText(error) }, "answer.prepare-failed");
    }
  };
  const writeNow = (folder: string) => {
    clearTimeout(pending.get(folder));
    pending.delete(folder);
    void queue.run(() => write(folder));
  };
  return {
    changed(folder) {
      if (!pending.has(folder)) pending.set(folder, setTimeout(() => writeNow(folder), settleMs).unref());
    },
    stop() {
      for (const folder of [...pending.keys()]) writeNow(folder);
      return queue.idle();
    },
  };
}

export function makeAnswers(parts: AnswerParts) {
  const answered = new BoundedMap<string, true>(REMEMBERED_ANSWERS);
  const ready = makeReadyAnswers(parts);
  const budgetTool = hookBudget(parts.home, process.env);
  const made: Answers = {
    async answer(event, project) {
      const folder = project ?? event.cwd;
      if ([folder, event.cwd].some((one) => one !== undefined && parts.isExcluded(one))) return {};
      if (event.kind === "pre-compact") return parts.snapshots.save(event);
      if (folder === undefined) return {};
      if (event.kind === "tool") return budgetTool(event, folder);
      if (event.kind !== "session-start" && event.kind !== "prompt") return {};
      // Of two hooks that are installed for the same event one prints the answer.
      if (answered.has(event.id)) return {};
      answered.set(event.id, true);
      if (event.kind === "prompt") return answerPrompt(parts, event, folder);
      // The branch may be another than when the last session ended.
      ready.changed(folder);
      return answerStart(parts, event, folder);
    },
    async reply(args) {
      const { event, project } = isObject(args) ? args : {};
      if (!isCapturedEvent(event)) return {};
      return hookReply(event.kind, await made.answer(event, givenText(project)));
    },
    file: fileAnswers(parts),
    note(events) {
      for (const { kind, cwd, payload } of events) {
        const folder = typeof payload.project_dir === "string" ? payload.project_dir : cwd;
        if ((kind === "stop" || kind === "session-end") && folder !== undefined) ready.changed(folder);
      }
    },
    stop: ready.stop,
  };
  return made;
}
