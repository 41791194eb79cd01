// What claude-mem remembered, into the store: every row redacted, told where it came from, and kept once.
import path from "node:path";
import { type IsExcluded, type Pause, safeName, wasPaused } from "../home/index.ts";
import type { SeenEvent } from "../intake/index.ts";
import { fairTurns, makeIngest, type RedactPayload } from "../intake/index.ts";
import { type Clock, ownVersion, sha256 } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { findOrders } from "../redact/index.ts";
import { captureEvent } from "../spool/index.ts";
import type { NewObservation, NewSummary, Store } from "../store/index.ts";
import { claimedPrompts, unclaimed } from "./claimed.ts";
import { type ForeignSession, observationFrom, promptFrom, summaryFrom } from "./claudeMem.ts";
import { claudeMemKey, type ForeignRows, openClaudeMem } from "./claudeMemSource.ts";
import { Interrupted, unreadable, type Watch } from "./watch.ts";

interface ClaudeMemParts {
  readonly store: Store;
  readonly redact: RedactPayload;
  readonly badFolder: string;
  readonly pauses: () => readonly Pause[];
  readonly isExcluded: IsExcluded;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ImportedClaudeMem {
  readonly outcome: "imported" | "unchanged";
  /** Sessions that it has rows of. */
  readonly sessions: number;
  /** Rows that are new. */
  readonly prompts: number;
  readonly observations: number;
  readonly summaries: number;
  /** Rows of pauses and of excluded folders. */
  readonly leftOut: number;
}

const BATCH = 100;

/**
 * claude-mem knows a project by the name of its folder, which several can have. A session that is known here says
 * which one it is, and so does a name that only one project has.
 */
async function projectNames(store: Store): Promise<(session: ForeignSession) => Promise<string>> {
  const known = (await store.stats()).projects.map(({ project }) => project);
  return async ({ session, project }) => {
    const here = await store.session(session);
    if (here !== undefined) return here.project;
    const name = safeName(project);
    const [only, another] = known.filter((id) => id.replace(/-[0-9a-f]{8}$/, "") === name);
    if (only !== undefined && another === undefined) return only;
    return `${name}-${sha256(`claude-mem/${project}`).slice(0, 8)}`;
  };
}

const isHeard = async (store: Store, session: string) =>
  (await store.events({ session, lanes: ["hooks", "mods"], limit: 1 })).items.length > 0;

type Row = NewObservation | NewSummary;
type AddRows<T> = (batch: readonly T[]) => Promise<{ readonly added: readonly string[] }>;

/** Keeps rows and events of any session, redacted, a bounded piece at a time. */
function rowWriter({ store, redact, isExcluded, badFolder, log }: ClaudeMemParts) {
  const turn = fairTurns();
  /** Identifiers are not redacted. */
  const redacted = async <T extends Row>(row: T): Promise<T> => {
    const { uid: _uid, session: _session, project: _project, promptNumber: _number, at: _at, ...said } = row;
    await turn();
    return { ...row, ...(await redact(said)) };
  };
  return {
    async rows<T extends Row>(rows: readonly T[], add: AddRows<T>): Promise<number> {
      let count = 0;
      for (let at = 0; at < rows.length; at += BATCH) {
        const batch: T[] = [];
        for (const row of rows.slice(at, at + BATCH)) batch.push(await redacted(row));
        count += (await add(batch)).added.length;
      }
      return count;
    },
    async events(events: readonly SeenEvent[], project: string): Promise<number> {
      const ingest = makeIngest({ store, redact, isExcluded, badFolder, log, projectFor: () => project });
      const captured = events.flatMap(
        ({ payload, at }) => captureEvent(payload, { lane: "import", writer: ownVersion, now: at }) ?? [],
      );
      return captured.length === 0 ? 0 : (await ingest.keep(captured)).added;
    },
  };
}

/** A title that tells a model what to do is kept in the text, where it is only ever quoted. */
function withPlainTitle(row: NewObservation): NewObservation {
  if (findOrders(row.title).length === 0) return row;
  const text = [row.title, row.text ?? ""].filter((part) => part !== "").join("\n");
  return { ...row, title: "Text that reads like an instruction", text };
}

function makeTaker(parts: ClaudeMemParts) {
  const { store } = parts;
  const pauses = parts.pauses();
  const keep = rowWriter(parts);
  const added = { prompts: 0, observations: 0, summaries: 0, leftOut: 0 };
  const touches = ({ filesRead = [], filesModified = [] }: NewObservation) =>
    [...filesRead, ...filesModified]
      .filter((file) => path.isAbsolute(file))
      .some((file) => parts.isExcluded(path.dirname(file)));
  const isWanted = (at: number, isOut: boolean) => {
    const isLeftOut = isOut || wasPaused(pauses, at);
    if (isLeftOut) added.leftOut += 1;
    return !isLeftOut;
  };
  const prompts = async (
    rows: ForeignRows["prompts"],
    {
      session,
      project,
      isOut,
    }: { readonly session: string; readonly project: string; readonly isOut: boolean },
  ) => {
    const isClaimed = await claimedPrompts(parts, session, { fromClaudeMem: false });
    const seen = rows.flatMap((row) => promptFrom(row, session) ?? []);
    const wanted = seen.filter(({ at }) => isWanted(at, isOut));
    added.prompts += await keep.events(await unclaimed(wanted, isClaimed), project);
  };
  return {
    added,
    async take({ session }: ForeignSession, rows: ForeignRows, project: string): Promise<void> {
      const belonging = { session, project };
      const seen = rows.observations.flatMap((row) => observationFrom(row, belonging) ?? []);
      // Prompts and summaries say nothing of folders: those of a session that touched an excluded one are left out.
      const isOut = seen.some(touches);
      await prompts(rows.prompts, { ...belonging, isOut });
      const observations = seen
        .filter((row) => isWanted(Date.parse(row.at), touches(row)))
        .map(withPlainTitle);
      added.observations += await keep.rows(observations, (batch) => store.addObservations(batch));
      const summaries = rows.summaries
        .flatMap((row) => summaryFrom(row, belonging) ?? [])
        .filter(({ at }) => isWanted(Date.parse(at), isOut));
      added.summaries += await keep.rows(summaries, (batch) => store.addSummaries(batch));
    },
    /** A session that only claude-mem has seen is over: its end would never be reported. */
    async end({ session }: ForeignSession): Promise<void> {
      const kept = await store.session(session);
      if (kept?.status !== "active" || (await isHeard(store, session))) return;
      const payload = { hook_event_name: "SessionEnd", session_id: session, reason: "gone" };
      await keep.events([{ payload, at: kept.lastActivityEpoch + 1 }], kept.project);
    },
  };
}

/** Throws `UnreadableSource` and `Interrupted`, and whatever the store throws: then it has to be done again. */
export async function importClaudeMem(
  parts: ClaudeMemParts,
  file: string,
  { signal, onProgress }: Watch,
): Promise<ImportedClaudeMem> {
  const { store } = parts;
  const key = claudeMemKey(file);
  const source = await openClaudeMem(file).catch(unreadable);
  try {
    const { sessions, state } = source;
    const taker = makeTaker(parts);
    if ((await store.sourceState(key)) === state)
      return { outcome: "unchanged", sessions: sessions.length, ...taker.added };
    const projectOf = await projectNames(store);
    for (const [at, session] of sessions.entries()) {
      if (signal.aborted) throw new Interrupted();
      await taker.take(session, source.rowsOf(session), await projectOf(session));
      await taker.end(session);
      onProgress((at + 1) / sessions.length);
    }
    // What was left out may be wanted another time.
    await store.finishSource({ key, ...(taker.added.leftOut === 0 ? { state } : {}) });
    return { outcome: "imported", sessions: sessions.length, ...taker.added };
  } finally {
    source.close();
  }
}
