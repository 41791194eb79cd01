// Refills what hooks could not write: reads their loss marks, finds the transcripts, and counts what was lost and found.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { transcriptFacts } from "../../archive/index.ts";
import { type Home, type IsExcluded, lossFile, lossTotalsFile } from "../../home/index.ts";
import {
  type Clock,
  defined,
  errorText,
  isObject,
  MINUTE,
  parseJson,
  readIfPossible,
  SECOND,
  writeJson,
} from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { clearLosses, type Losses, readLosses, reserveLosses } from "../../spool/index.ts";
import type { EventStore } from "../../store/index.ts";
import { RECONCILE_AFTER_MS, type Reconciler } from "./reconcile.ts";
import type { TranscriptMarks } from "./transcriptMarks.ts";

/** Sums since the first loss. */
interface LossTotals {
  /** Events that hooks could not write. */
  readonly lost: number;
  /** Events that were read from transcripts because no hook had reported them, whatever the reason. */
  readonly refilled: number;
  /** ISO time of the last loss. */
  readonly lastAt?: string;
}

interface LossReport extends LossTotals {
  /** Lost events whose transcripts were not read yet. */
  readonly pending: number;
}

function readTotals(home: Home) {
  const found = parseJson(readIfPossible(lossTotalsFile(home)) ?? "");
  const { lost, refilled, lastAt } = isObject(found) ? found : {};
  return {
    lost: Number(lost) || 0,
    refilled: Number(refilled) || 0,
    ...(typeof lastAt === "string" && { lastAt }),
  };
}

const marksOf = (home: Home) => readLosses(lossFile(home));

/** What was lost and refilled; works with and without a worker. */
export function lossReport(home: Home): LossReport {
  const { lost, refilled, lastAt } = readTotals(home);
  const { count, lastAt: markedAt } = marksOf(home);
  const last = count > 0 ? new Date(markedAt).toISOString() : lastAt;
  return { lost: lost + count, refilled, pending: count, ...defined({ lastAt: last }) };
}

interface RefillParts {
  readonly home: Home;
  /** Folders in which the agent has a folder of transcripts for each project. */
  readonly agentFolders: readonly string[];
  /** Folders of other agents, with files below them that end with the session's id. */
  readonly sessionFolders: readonly string[];
  readonly store: Pick<EventStore, "sessions" | "events">;
  readonly marks: TranscriptMarks;
  /** Throws while it is not known what is excluded: then the marks stay, and are looked at again. */
  readonly isExcluded: IsExcluded;
  readonly reconciler: Pick<Reconciler, "runAll">;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Refill {
  /** Counts what a transcript had that no hook reported. */
  found(events: number): void;
  /** Takes up the transcripts of sessions that are in the store, when the record of how far they were read is lost. */
  restoreMarks(): Promise<void>;
  /** Reads the transcripts that loss marks ask for, if there are any; never rejects. */
  look(): Promise<void>;
}

const SHORTEST_REFILL_WAIT_MS = 5 * SECOND;
const LONGEST_REFILL_WAIT_MS = 10 * MINUTE;
/** Sessions whose transcripts are taken up again. */
const RESTORED_SESSIONS = 500;
/** Enough to find an event of the main thread among those of subagents. */
const EVENTS_LOOKED_AT = 20;

function projectFoldersIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(folder, name));
  } catch {
    // A folder that is missing or not ours has no transcript for us.
    return [];
  }
}

/** The file of a session among those of another agent. */
function fileBelow(folder: string, session: string) {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const name = names.find((one) => one.endsWith(`-${session}.jsonl`));
    return name === undefined ? [] : [path.join(folder, name)];
  } catch {
    // The agent is not on this machine.
    return [];
  }
}

/** The transcript of a session: beside those that are known, or in the agents' own folders. */
function lostTranscript(session: string, { agentFolders, sessionFolders, marks }: RefillParts) {
  const known = new Set(marks.named().map(({ file }) => path.dirname(file)));
  const below = agentFolders.flatMap((folder) => projectFoldersIn(path.join(folder, "projects")));
  const named = [...known, ...below].map((folder) => path.join(folder, `${session}.jsonl`));
  return (
    named.find((file) => existsSync(file)) ??
    sessionFolders.flatMap((folder) => fileBelow(folder, session))[0]
  );
}

/** Names the transcripts of sessions of which nothing at all was kept, but not of those that were started where nothing may be. */
async function noteUnknown(losses: Losses, parts: RefillParts) {
  const { marks, clock, isExcluded } = parts;
  const known = new Set(marks.named().map(({ session }) => session));
  for (const { session, since } of losses.sessions) {
    const file = known.has(session) ? undefined : lostTranscript(session, parts);
    if (file === undefined || marks.get(file)) continue;
    if (isExcluded((await transcriptFacts(file)).cwd)) continue;
    marks.set(file, { session, offset: 0, ...defined({ since }) }, clock.now());
  }
}

async function restoreMarks({ store, marks, clock, log }: RefillParts) {
  const { items } = await store.sessions({ order: "newest", limit: RESTORED_SESSIONS });
  for (const { claudeSessionId: session } of items) {
    const events = (await store.events({ session, limit: EVENTS_LOOKED_AT })).items;
    const file = events.find(({ agent, transcript }) => agent === undefined && transcript)?.transcript;
    if (file === undefined || marks.get(file) || !existsSync(file)) continue;
    marks.set(file, { session, offset: 0 }, clock.now());
  }
  marks.restored();
  marks.save();
  if (items.length > 0) log.warn({ sessions: items.length }, "marks.damaged");
}

function reserve(file: string, log: Logger) {
  try {
    reserveLosses(file);
  } catch (error) {
    log.warn({ problem: errorText(error) }, "losses.reserve-failed");
  }
}

export function makeRefill(parts: RefillParts): Refill {
  const { home, reconciler, clock, log, marks } = parts;
  const file = lossFile(home);
  // Before anything else: the disk may be full by the time of the first look.
  reserve(file, log);
  let found = 0;
  let failures = 0;
  let notBefore = 0;
  const keepTotals = (losses: Losses) => {
    if (losses.count + found === 0) return;
    const { lost, refilled, lastAt } = readTotals(home);
    const last = losses.count > 0 ? new Date(losses.lastAt).toISOString() : lastAt;
    const totals = { lost: lost + losses.count, refilled: refilled + found, lastAt: last };
    writeJson(lossTotalsFile(home), totals);
    found = 0;
  };
  const look = async () => {
    reserveLosses(file);
    const losses = marksOf(home);
    // The agent writes its transcript a moment after its hooks; while marks still come there will be another look.
    if (losses.count === 0) return keepTotals(losses);
    if (Math.abs(clock.now() - losses.lastAt) < RECONCILE_AFTER_MS) return;
    if (marks.isDamaged()) await restoreMarks(parts);
    await noteUnknown(losses, parts);
    const { added, complete } = await reconciler.runAll();
    if (!complete) throw new Error("some transcripts could not be read or kept; see above");
    if (!clearLosses(file, losses)) return;
    keepTotals(losses);
    log.warn({ lost: losses.count, refilled: added }, "losses.refilled");
  };
  return {
    found: (events) => {
      found += events;
    },
    restoreMarks: async () => {
      if (marks.isDamaged()) await restoreMarks(parts);
    },
    look: async () => {
      if (performance.now() < notBefore) return;
      try {
        await look();
        failures = 0;
      } catch (error) {
        failures += 1;
        notBefore =
          performance.now() + Math.min(LONGEST_REFILL_WAIT_MS, SHORTEST_REFILL_WAIT_MS * 2 ** (failures - 1));
        log.warn({ problem: errorText(error) }, "losses.pending");
      }
    },
  };
}
