// Takes one snapshot for each compaction, however it was noticed, and answers starts of sessions with it.

import { readFileSync } from "node:fs";
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
import { type LifecycleEvent, type LifecycleListener, lifecycleEventOf } from "../../intake/index.ts";
import {
  BoundedMap,
  type Clock,
  errorText,
  fileSize,
  HOUR,
  namesIn,
  removeFile,
  SECOND,
  serialQueue,
  statIfThere,
  ThroughlineError,
} from "../../lib/index.ts";
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
  startSession,
} from "../../snapshot/index.ts";
import type { CapturedEvent } from "../../spool/index.ts";
import { type Conversation, readConversation } from "../../transcript/index.ts";
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
  readonly onLifecycleEvent: LifecycleListener;
  /**
   * What becomes of the project's snapshot at a session's start, with a line for the user and, within `budget`
   * characters, a text for the model. Undefined where snapshots are off, and for an event that was answered already.
   */
  start(event: CapturedEvent, project: string, budget?: number): Promise<StartReport | undefined>;
  /**
   * Takes the snapshot before a compaction. The compaction's own prompt is not told of it: the model gets the digest at
   * the start that follows, and Claude Code would print the text on the user's screen.
   */
  save(event: CapturedEvent): Promise<HookAnswer>;
  /** Moves snapshots that hooks have cleaned up into the vault. */
  storeLeftSnapshots(): void;
}

/** Empty where snapshots are off or the folder is excluded; `known`: the compaction has one already. */
interface TakenSnapshot {
  readonly saved?: SavedSnapshot;
  readonly known?: JournalEntry;
}

const UNKNOWN_SESSION = "unknown";
const DOUBLED_WITHIN_MS = 3 * SECOND;
/** Notices of one compaction come within minutes; more than a few are never under way. */
const REMEMBERED_COMPACTIONS = 100;

function vaultWriter(
  vault: Vault,
): (bytes: Uint8Array, snapshot: Pick<SnapshotFile, "session" | "name">) => void {
  return (bytes, { session = UNKNOWN_SESSION, name }) => {
    vault.put(bytes, { session, level: "snapshot", note: name });
  };
}

/** A handle that the vault no longer has is no reason to withhold the snapshot. */
function sizeIn(vault: Vault, handle: string) {
  try {
    return vault.resolve(handle).bytes;
  } catch (error) {
    if (error instanceof ThroughlineError) return undefined;
    throw error;
  }
}

/** The folder the session was started in; what is gone, or was never there, is not made. */
function projectFor({ project, cwd }: LifecycleEvent, conversation: Conversation) {
  const folder = project ?? conversation.cwd ?? cwd;
  // The root of a file system is no project.
  const isProject =
    folder !== undefined && path.dirname(folder) !== folder && (statIfThere(folder)?.isDirectory() ?? false);
  return isProject ? folder : undefined;
}

async function takeOne(parts: SnapshotParts, compaction: LifecycleEvent) {
  const { home, clock, log } = parts;
  const { session, kind, id, at, transcriptPath } = compaction;
  const folder = compaction.project ?? compaction.cwd;
  if (folder !== undefined && parts.isExcluded(folder)) return {};
  const begun = performance.now();
  const bytes = fileSize(transcriptPath);
  log.info({ session, noticed: kind, bytes }, "snapshot.begun");
  const conversation = await readConversation(transcriptPath);
  const project = projectFor(compaction, conversation);
  if (project === undefined || parts.isExcluded(project)) return {};
  const settings = parts.settingsFor(project);
  // It would never be shown.
  if (!settings.enabled || clock.now() - at >= settings.hours * HOUR) return {};
  const journal = journalIn(sessionPlace(home, projectOf(project).id, session).folder);
  const entries = readJournal(journal);
  const moment = { at, isBefore: kind === "compacting" };
  const known =
    entries.find((entry) => entry.occasion === id) ??
    entryFor(
      // A compaction takes longer than this: what comes so soon is the same one, reported by hooks that are installed twice.
      moment.isBefore ? entries.filter((entry) => Math.abs(entry.at - at) < DOUBLED_WITHIN_MS) : entries,
      conversation,
      moment,
    );
  if (known) return { known };
  const { start, end } = compactedPart(conversation, moment);
  const isExcluded = rememberingExclusion(parts.isExcluded);
  const before = (at: number) =>
    conversation.items
      .slice(0, at)
      .filter(({ isApiError, isCopy, folders = [] }) => !isApiError && !isCopy && !folders.some(isExcluded));
  const saved = await saveSnapshot({
    project,
    session,
    now: at,
    history: before(end),
    windowStart: before(start).length,
    // CLAUDE.md is Claude Code's: other agents get the digest at the start that follows the compaction, and nothing more.
    settings: conversation.dialect === "claude-code" ? settings : { ...settings, reference: "off" },
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

/** Moves what hooks have cleaned up into the vault. */
function moveLeftSnapshots(folder: string, keep: ReturnType<typeof vaultWriter>) {
  for (const name of namesIn(folder).filter((each) => each.endsWith(".md"))) {
    const bytes = readFileSync(path.join(folder, name));
    const { session } = readSnapshotLabel(bytes) ?? { session: undefined };
    keep(bytes, { session, name: name.replace(/^.*(?=compact-snapshot-)/, "") });
    removeFile(path.join(folder, name));
  }
}

/** One after the other: the second notice of a compaction finds the snapshot that the first one brought about. */
function takingInTurn(parts: SnapshotParts): (compaction: LifecycleEvent) => Promise<TakenSnapshot> {
  const taken = new BoundedMap<string, Promise<TakenSnapshot>>(REMEMBERED_COMPACTIONS);
  const queue = serialQueue();
  return (compaction) =>
    taken.remember(compaction.id, () => {
      const next = queue.run(() => takeOne(parts, compaction));
      next.catch((error: unknown) => {
        const { session, kind } = compaction;
        parts.log.error({ session, noticed: kind, problem: errorText(error) }, "snapshot.failed");
        // It is tried again when the compaction is noticed again.
        taken.delete(compaction.id);
      });
      return next;
    });
}

export function makeSnapshots(parts: SnapshotParts): Snapshots {
  const { home, clock } = parts;
  const vault = openVault(parts.vaultFolder);
  const keep = vaultWriter(vault);
  const take = takingInTurn(parts);
  const answered = new BoundedMap<string, true>(REMEMBERED_COMPACTIONS);
  const start: Snapshots["start"] = async (event, project, budget = CONTEXT_LIMIT) => {
    const source = readSource(event.payload.source);
    const settings = parts.settingsFor(project);
    if (!settings.enabled || parts.isExcluded(project)) return undefined;
    // Of two hooks that are installed for the same event one prints the answer.
    if (answered.has(event.id)) return undefined;
    answered.set(event.id, true);
    const compaction = lifecycleEventOf(event);
    const taken =
      compaction?.kind === "compacted" ? await take(compaction).catch(() => undefined) : undefined;
    const { hours, language } = settings;
    const now = clock.now();
    const report = startSession({
      ...{ project, session: event.session, source, now, hours, language, budget, keep },
      sizeOf: (handle) => sizeIn(vault, handle),
      ...(await provenanceOf(home, project)),
    });
    return { ...report, lines: [...(taken?.saved?.lines ?? []), ...report.lines] };
  };
  return {
    start,
    onLifecycleEvent: async (event) => {
      if (event.kind !== "ended") await take(event);
    },
    async save(event) {
      const compaction = lifecycleEventOf(event);
      const saved = compaction && (await take(compaction)).saved;
      return saved ? { log: saved.lines } : {};
    },
    storeLeftSnapshots: () => moveLeftSnapshots(leftSnapshots(home), keep),
  };
}
