// What answering hooks are told: a session's snapshot, the project's memories and the index of earlier sessions, or what a prompt needs. One text, one budget.

import { randomBytes } from "node:crypto";
import type { Home, Language } from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import { aboutWork, type PromptRequest, promptText, startText } from "../inject/index.ts";
import { type Clock, errorText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { MemorySource } from "../search/index.ts";
import { CONTEXT_LIMIT, gitState, readSource, type StartSource, startOutput } from "../snapshot/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import type { Store } from "../store/index.ts";
import { hookBudget } from "./hookBudget.ts";
import type { Snapshots } from "./jobs/snapshot.ts";
import type { MemoryText } from "./memoryText.ts";
import { type KnownWork, readKnownWork, removeReadyAnswer, writeReadyAnswer } from "./readyAnswers.ts";

export interface InjectSettings {
  readonly enabled: boolean;
  /** Of the index, and of the list of memories. */
  readonly tokens: number;
  /** Whether prompts are answered too. */
  readonly prompts: boolean;
  readonly language: Language;
}

interface AnswerParts {
  readonly home: Home;
  readonly store: Store;
  readonly snapshots: Pick<Snapshots, "start" | "answer">;
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

export interface Answers {
  answer(event: CapturedEvent, project: string | undefined): Promise<HookAnswer>;
  /** What happened changes what the next session in that folder is told. */
  note(events: readonly CapturedEvent[]): void;
  /** Brings what lies ready up to date, and ends. */
  stop(): Promise<void>;
}

/** After a compaction the snapshot comes first; so much is left for memories and the index. */
const INDEX_CHARACTERS = 3_000;
/** Of the characters that are left, so much at most is for memories. */
const SHARE_OF_MEMORIES = 0.5;
const BETWEEN = "\n\n";
/** How long git may take while a hook waits, and while nobody does. */
const HURRIED_MS = 80;
const PATIENT_MS = 2_000;
const MOST_FILES = 50;
/** The observations of a turn are made a few seconds after it. */
const SETTLE_MS = 15_000;
const REMEMBERED = 100;

/** How a session starts that is to be told something. One that is resumed has in its conversation what it was told. */
const fresh: readonly StartSource[] = ["startup", "clear", "compact"];

const isFresh = (event: CapturedEvent): boolean => fresh.includes(readSource(event.payload.source));

function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const nonce = (): string => randomBytes(4).toString("hex");

/** What git says in time, else what it said when there was more of it. */
async function workIn(folder: string, patience: number, known: KnownWork): Promise<KnownWork> {
  const git = await withinTime(gitState(folder), patience);
  if (git === undefined) return known;
  const { branch: _, ...rest } = known;
  const files = git.changed.map((file) => file.path).slice(0, MOST_FILES);
  return git.branch === undefined ? { ...rest, files } : { ...rest, files, branch: git.branch };
}

const isTold = (parts: AnswerParts, folder: string): boolean =>
  parts.settingsFor(folder).enabled && !parts.isExcluded(folder);

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(BETWEEN);

/** The project's memories, then the index of its sessions. */
async function indexFor(
  parts: AnswerParts,
  folder: string,
  { stale = {}, ...work }: KnownWork,
  characters: number,
): Promise<string> {
  const { tokens, language } = parts.settingsFor(folder);
  const memories = parts.memories.text(folder, stale, {
    ...{ tokens, language, nonce: nonce() },
    characters: characters * SHARE_OF_MEMORIES,
  });
  const index = await startText(parts.store, {
    ...{ folder, ...work, tokens, language, nonce: nonce(), now: parts.clock.now() },
    characters: characters - memories.length - BETWEEN.length,
  });
  return joined([memories, index]);
}

async function freshIndex(parts: AnswerParts, folder: string, room: number): Promise<string> {
  const work = await workIn(folder, HURRIED_MS, readKnownWork(parts.home, folder));
  return indexFor(parts, folder, work, room);
}

async function startAnswer(parts: AnswerParts, event: CapturedEvent, folder: string): Promise<HookAnswer> {
  const report = await parts.snapshots.start(event, folder, CONTEXT_LIMIT - INDEX_CHARACTERS);
  const snapshot = report?.context ?? "";
  const room = CONTEXT_LIMIT - snapshot.length - (snapshot === "" ? 0 : BETWEEN.length);
  const index = isFresh(event) && isTold(parts, folder) ? await freshIndex(parts, folder, room) : "";
  const context = joined([snapshot, index]);
  const lines = report === undefined || report.decision.reason === "nothing" ? [] : report.lines;
  const notice = parts.notice?.(parts.settingsFor(folder).language);
  const message = [notice, parts.noticeFor?.(folder), report?.message]
    .filter((line) => line !== undefined)
    .join("\n");
  return { stdout: startOutput({ ...(message === "" ? {} : { message }), context }), log: lines };
}

async function promptAnswer(parts: AnswerParts, event: CapturedEvent, folder: string): Promise<HookAnswer> {
  const { enabled, prompts, language } = parts.settingsFor(folder);
  const { prompt } = event.payload;
  if (!enabled || !prompts || typeof prompt !== "string" || parts.isExcluded(folder)) return {};
  const request: PromptRequest = { prompt, folder, session: event.session, language, nonce: nonce() };
  const context = await promptText({ store: parts.store, memories: parts.memoriesFrom(folder) }, request);
  if (context === "") return {};
  const hookSpecificOutput = { hookEventName: "UserPromptSubmit", additionalContext: context };
  return { stdout: JSON.stringify({ hookSpecificOutput }) };
}

export function makeAnswers(parts: AnswerParts): Answers {
  const { home, log, settleMs = SETTLE_MS } = parts;
  const answered = new Set<string>();
  const changed = new Map<string, NodeJS.Timeout>();
  let running: Promise<void> = Promise.resolve();
  const budgetTool = hookBudget(home, process.env);
  const makeReady = async (folder: string): Promise<void> => {
    try {
      if (!isTold(parts, folder)) return removeReadyAnswer(home, folder);
      const seen = await workIn(folder, PATIENT_MS, { older: [] });
      const older = await aboutWork(parts.store, { folder, ...seen });
      const stale = (await parts.memories.check(folder)) ?? readKnownWork(home, folder).stale ?? {};
      const work = { ...seen, older, stale };
      const context = await indexFor(parts, folder, work, CONTEXT_LIMIT);
      const told = context === "" ? [] : fresh.map((source) => [source, startOutput({ context })]);
      const stdout: Record<string, string> = Object.fromEntries(told);
      writeReadyAnswer(home, folder, { stdout, work });
    } catch (error) {
      log.warn({ folder, problem: errorText(error) }, "answer.prepare-failed");
    }
  };
  const keepReady = (folder: string): void => {
    clearTimeout(changed.get(folder));
    changed.delete(folder);
    running = running.then(() => makeReady(folder));
  };
  const soon = (folder: string): void => {
    if (!changed.has(folder)) changed.set(folder, setTimeout(() => keepReady(folder), settleMs).unref());
  };
  return {
    async answer(event, project) {
      const folder = project ?? event.cwd;
      if ([folder, event.cwd].some((one) => one !== undefined && parts.isExcluded(one))) return {};
      if (folder === undefined || event.kind === "pre-compact") return parts.snapshots.answer(event, project);
      if (event.kind === "tool") return budgetTool(event, folder);
      if (event.kind !== "session-start" && event.kind !== "prompt") return {};
      // Of two hooks that are installed for the same event one has something to say.
      if (answered.has(event.id)) return {};
      if (answered.size >= REMEMBERED) answered.clear();
      answered.add(event.id);
      if (event.kind === "prompt") return promptAnswer(parts, event, folder);
      // The branch may be another than when the last session ended.
      soon(folder);
      return startAnswer(parts, event, folder);
    },
    note(events) {
      for (const { kind, cwd, payload } of events) {
        const folder = typeof payload.project_dir === "string" ? payload.project_dir : cwd;
        const isEnding = kind === "stop" || kind === "session-end";
        if (isEnding && folder !== undefined) soon(folder);
      }
    },
    async stop() {
      for (const folder of [...changed.keys()]) keepReady(folder);
      await running;
    },
  };
}
