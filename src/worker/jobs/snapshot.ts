// Snapshots as the worker has them: one for each compaction however it was noticed, and the answer to a session's start.

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import {
  type Home,
  leftSnapshots,
  projectOf,
  rememberingExclusion,
  type SnapshotRules,
  sessionPlace,
} from "../../home/index.ts";
import type { HookAnswer } from "../../inject/index.ts";
import { type LifecycleEvent, lifecycleEventOf } from "../../intake/index.ts";
import { type Clock, errorText, HOUR, SECOND, systemErrorCode } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import {
  CONTEXT_LIMIT,
  compactedPart,
  entryFor,
  type JournalEntry,
  journalIn,
  type ProjectStateReader,
  provenanceOf,
  readJournal,
  readSnapshotLabel,
  readSource,
  type SavedSnapshot,
  type SnapshotFile,
  type SnapshotSettings,
  type StartReport,
  saveSnapshot,
  snapshotKey,
  startOutput,
  startSession,
} from "../../snapshot/index.ts";
import type { CapturedEvent } from "../../spool/index.ts";
import { type Conversation, readConversation, type TranscriptItem } from "../../transcript/index.ts";
import { openVault, type Vault } from "../../vault/index.ts";

export interface SnapshotParts {
  readonly home: Home;
  readonly vaultFolder: string;
  /** The settings for work in a folder. */
  readonly settingsFor: (project: string) => SnapshotSettings & Pick<SnapshotRules, "enabled">;
  readonly readers: readonly ProjectStateReader[];
  readonly redact: (text: string) => string;
  readonly isExcluded: (folder: string) => boolean;
  /** Called when a project has a new snapshot. */
  readonly onSaved?: (project: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Snapshots {
  /** Takes the compaction's snapshot unless it has one. */
  take(occasion: LifecycleEvent): Promise<void>;
  /**
   * What becomes of the project's snapshot at a session's start, with a line for the user and, within `budget`
   * characters, a text for the model. Undefined where snapshots are off, and for an event that was answered already.
   */
  start(event: CapturedEvent, project: string, budget?: number): Promise<StartReport | undefined>;
  /** The same for the hook, and for a compaction what it is to preserve. */
  answer(event: CapturedEvent, project: string | undefined): Promise<HookAnswer>;
  /** Puts what hooks have cleaned up into the vault. */
  takeInLeft(): void;
}

interface Taken {
  readonly saved?: SavedSnapshot;
  readonly known?: JournalEntry;
}

const UNKNOWN_SESSION = "unknown";
const DOUBLED_WITHIN_MS = 3 * SECOND;
/** Lifecycle of one compaction come within minutes; more than a few are never under way. */
const REMEMBERED = 100;

function keeper(vault: Vault): (bytes: Uint8Array, snapshot: Pick<SnapshotFile, "session" | "name">) => void {
  return (bytes, { session = UNKNOWN_SESSION, name }) => {
    vault.put(bytes, { session, level: "snapshot", note: name });
  };
}

const isFolder = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The folder the session was started in; what is gone, or was never there, is not made. */
function projectFor({ project, cwd }: LifecycleEvent, told: Conversation): string | undefined {
  const folder = project ?? told.cwd ?? cwd;
  // The top of a file system is nobody's project.
  const isProject = folder !== undefined && path.dirname(folder) !== folder && isFolder(folder);
  return isProject ? folder : undefined;
}

async function takeOne(parts: SnapshotParts, occasion: LifecycleEvent): Promise<Taken> {
  const { home, clock, log } = parts;
  const { session, kind, id, at, transcriptPath } = occasion;
  const folder = occasion.project ?? occasion.cwd;
  if (folder !== undefined && parts.isExcluded(folder)) return {};
  const begun = performance.now();
  const bytes = statSync(transcriptPath, { throwIfNoEntry: false })?.size ?? 0;
  log.info({ session, noticed: kind, bytes }, "snapshot.begun");
  const told = await readConversation(transcriptPath);
  const project = projectFor(occasion, told);
  if (project === undefined || parts.isExcluded(project)) return {};
  const settings = parts.settingsFor(project);
  // Nobody would ever be shown it.
  if (!settings.enabled || clock.now() - at >= settings.hours * HOUR) return {};
  const journal = journalIn(sessionPlace(home, projectOf(project).id, session).folder);
  const entries = readJournal(journal);
  const moment = { at, isBefore: kind === "compacting" };
  const known =
    entries.find((entry) => entry.occasion === id) ??
    entryFor(
      // A compaction takes longer than this: what comes so soon is the same one, told by hooks that are installed twice.
      moment.isBefore ? entries.filter((entry) => Math.abs(entry.at - at) < DOUBLED_WITHIN_MS) : entries,
      told,
      moment,
    );
  if (known !== undefined) return { known };
  const { start, end } = compactedPart(told, moment);
  const isExcluded = rememberingExclusion(parts.isExcluded);
  const before = (at: number): TranscriptItem[] =>
    told.items
      .slice(0, at)
      .filter(({ isApiError, isCopy, folders = [] }) => !isApiError && !isCopy && !folders.some(isExcluded));
  const saved = await saveSnapshot({
    project,
    session,
    now: at,
    history: before(end),
    windowStart: before(start).length,
    settings,
    vault: openVault(parts.vaultFolder),
    readers: parts.readers,
    redact: parts.redact,
    journal,
    occasion: id,
    key: snapshotKey(home),
  });
  parts.onSaved?.(project);
  const ms = Math.round(performance.now() - begun);
  log.info({ session, file: saved.file, noticed: kind, reference: saved.reference, ms }, "snapshot.taken");
  return { saved };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".md"));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function takeInLeft(folder: string, keep: ReturnType<typeof keeper>): void {
  for (const name of namesIn(folder)) {
    const bytes = readFileSync(path.join(folder, name));
    const { session } = readSnapshotLabel(bytes) ?? { session: undefined };
    keep(bytes, { session, name: name.replace(/^.*(?=compact-snapshot-)/, "") });
    rmSync(path.join(folder, name), { force: true });
  }
}

/** One after the other: the second notice of a compaction finds the snapshot that the first one brought about. */
function takingInTurn(parts: SnapshotParts): (occasion: LifecycleEvent) => Promise<Taken> {
  const taken = new Map<string, Promise<Taken>>();
  let running: Promise<unknown> = Promise.resolve();
  return (occasion) => {
    const known = taken.get(occasion.id);
    if (known !== undefined) return known;
    const next = running.then(() => takeOne(parts, occasion));
    running = next.catch(() => undefined);
    if (taken.size >= REMEMBERED) taken.clear();
    taken.set(occasion.id, next);
    next.catch((error: unknown) => {
      const { session, kind } = occasion;
      parts.log.error({ session, noticed: kind, problem: errorText(error) }, "snapshot.failed");
      // It is tried again when the compaction is noticed again.
      taken.delete(occasion.id);
    });
    return next;
  };
}

export function makeSnapshots(parts: SnapshotParts): Snapshots {
  const { home, clock } = parts;
  const keep = keeper(openVault(parts.vaultFolder));
  const take = takingInTurn(parts);
  const answered = new Set<string>();
  const start: Snapshots["start"] = async (event, project, budget = CONTEXT_LIMIT) => {
    const source = readSource(event.payload.source);
    const settings = parts.settingsFor(project);
    if (!settings.enabled || parts.isExcluded(project)) return undefined;
    // Of two hooks that are installed for the same event one has something to say.
    if (answered.has(event.id)) return undefined;
    if (answered.size >= REMEMBERED) answered.clear();
    answered.add(event.id);
    const occasion = lifecycleEventOf(event);
    if (occasion?.kind === "compacted") await take(occasion).catch(() => undefined);
    const { hours, language } = settings;
    const now = clock.now();
    return startSession({
      ...{ project, session: event.session, source, now, hours, language, budget, keep },
      ...(await provenanceOf(home, project)),
    });
  };
  const startAnswer = async (event: CapturedEvent, project: string): Promise<HookAnswer> => {
    const report = await start(event, project);
    if (report === undefined) return {};
    const log = report.decision.reason === "nothing" ? [] : report.lines;
    return { stdout: startOutput(report), log };
  };
  return {
    start,
    take: async (occasion) => {
      if (occasion.kind !== "ended") await take(occasion);
    },
    async answer(event, project) {
      const folder = project ?? event.cwd;
      if (event.kind === "session-start" && folder !== undefined) return startAnswer(event, folder);
      const occasion = event.kind === "pre-compact" ? lifecycleEventOf(event) : undefined;
      const saved = occasion && (await take(occasion)).saved;
      return saved === undefined ? {} : { stdout: saved.preservation, log: saved.lines };
    },
    takeInLeft: () => takeInLeft(leftSnapshots(home), keep),
  };
}
