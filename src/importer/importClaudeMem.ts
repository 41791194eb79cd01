// What claude-mem remembered, into the store: every row redacted, told where it came from, and kept once.
import path from "node:path";
import { safeName, wasPaused } from "../home/index.ts";
import { fairTurns, makeIngest, type SeenEvent } from "../intake/index.ts";
import { ownVersion, sha256 } from "../lib/index.ts";
import { findOrders } from "../redact/index.ts";
import { captureEvent } from "../spool/index.ts";
import type { NewObservation, NewSummary, Store } from "../store/index.ts";
import { type ForeignSession, foreignObservation, foreignPrompt, foreignSummary } from "./claudeMem.ts";
import { claudeMemKey, type ForeignRows, openClaudeMem } from "./claudeMemSource.ts";
import { duplicateFilter } from "./duplicatePrompts.ts";
import { type ImportParts, Interrupted, unreadable, type Watch } from "./model.ts";

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

const CLAUDE_MEM_ROWS_AT_ONCE = 100;

/**
 * claude-mem knows a project by the name of its folder, which several can have. A session that is known here says
 * which one it is, and so does a name that only one project has.
 */
async function projectNames(store: Store): Promise<(session: ForeignSession) => Promise<string>> {
  const known = (await store.stats()).projects.map(({ project }) => project);
  return async ({ session, project }) => {
    const here = await store.session(session);
    if (here) return here.project;
    const name = safeName(project);
    const [only, another] = known.filter((id) => id.replace(/-[0-9a-f]{8}$/, "") === name);
    if (only !== undefined && another === undefined) return only;
    return `${name}-${sha256(`claude-mem/${project}`).slice(0, 8)}`;
  };
}

const isHeard = async (store: Store, session: string) =>
  (await store.events({ session, lanes: ["hooks", "mods"], limit: 1 })).items.length > 0;

type KnowledgeRow = NewObservation | NewSummary;
type AddRows<T> = (batch: readonly T[]) => Promise<{ readonly added: readonly string[] }>;

/** Keeps rows and events of any session, redacted, a bounded piece at a time. */
function rowWriter(parts: ImportParts) {
  const turn = fairTurns();
  /** Identifiers are not redacted. */
  const redacted = async <T extends KnowledgeRow>(row: T) => {
    const { uid: _uid, session: _session, project: _project, promptNumber: _number, at: _at, ...said } = row;
    await turn();
    return { ...row, ...(await parts.redact(said)) };
  };
  return {
    async rows<T extends KnowledgeRow>(rows: readonly T[], add: AddRows<T>) {
      let count = 0;
      for (let at = 0; at < rows.length; at += CLAUDE_MEM_ROWS_AT_ONCE) {
        const batch: T[] = [];
        for (const row of rows.slice(at, at + CLAUDE_MEM_ROWS_AT_ONCE)) batch.push(await redacted(row));
        count += (await add(batch)).added.length;
      }
      return count;
    },
    async events(events: readonly SeenEvent[], project: string) {
      const ingest = makeIngest({ ...parts, projectFor: () => project });
      const captured = events.flatMap(
        ({ payload, at }) => captureEvent(payload, { lane: "import", writer: ownVersion, now: at }) ?? [],
      );
      return captured.length === 0 ? 0 : (await ingest.keep(captured)).added;
    },
  };
}

/** A title that tells a model what to do is kept in the text, where it is only ever quoted. */
function withPlainTitle(row: NewObservation) {
  if (findOrders(row.title).length === 0) return row;
  const text = [row.title, row.text ?? ""].filter((part) => part !== "").join("\n");
  return { ...row, title: "Text that reads like an instruction", text };
}

function sessionImporter(parts: ImportParts) {
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
  return {
    added,
    async add({ session }: ForeignSession, rows: ForeignRows, project: string) {
      const belonging = { session, project };
      const seen = rows.observations.flatMap((row) => foreignObservation(row, belonging) ?? []);
      // Prompts and summaries say nothing of folders: those of a session that touched an excluded one are left out.
      const isOut = seen.some(touches);
      const withoutDuplicates = await duplicateFilter(parts, session, { fromClaudeMem: false });
      const prompts = rows.prompts
        .flatMap((row) => foreignPrompt(row, session) ?? [])
        .filter(({ at }) => isWanted(at, isOut));
      added.prompts += await keep.events(await withoutDuplicates(prompts), project);
      const observations = seen
        .filter((row) => isWanted(Date.parse(row.at), touches(row)))
        .map(withPlainTitle);
      added.observations += await keep.rows(observations, (batch) => store.addObservations(batch));
      const summaries = rows.summaries
        .flatMap((row) => foreignSummary(row, belonging) ?? [])
        .filter(({ at }) => isWanted(Date.parse(at), isOut));
      added.summaries += await keep.rows(summaries, (batch) => store.addSummaries(batch));
    },
    /** A session that only claude-mem has seen is over: its end would never be reported. */
    async end({ session }: ForeignSession) {
      const kept = await store.session(session);
      if (kept?.status !== "active" || (await isHeard(store, session))) return;
      const payload = { hook_event_name: "SessionEnd", session_id: session, reason: "gone" };
      await keep.events([{ payload, at: kept.lastActivityEpoch + 1 }], kept.project);
    },
  };
}

/** Throws `UnreadableSource` and `Interrupted`, and whatever the store throws: then it has to be done again. */
export async function importClaudeMem(
  parts: ImportParts,
  file: string,
  { signal, onProgress }: Watch,
): Promise<ImportedClaudeMem> {
  const { store } = parts;
  const key = claudeMemKey(file);
  const source = await openClaudeMem(file).catch(unreadable);
  try {
    const { sessions, state } = source;
    const importer = sessionImporter(parts);
    if ((await store.sourceState(key)) === state)
      return { outcome: "unchanged", sessions: sessions.length, ...importer.added };
    const projectOf = await projectNames(store);
    for (const [at, session] of sessions.entries()) {
      if (signal.aborted) throw new Interrupted();
      await importer.add(session, source.rowsOf(session), await projectOf(session));
      await importer.end(session);
      onProgress((at + 1) / sessions.length);
    }
    // What was left out may be wanted another time.
    await store.finishSource({ key, ...(importer.added.leftOut === 0 && { state }) });
    return { outcome: "imported", sessions: sessions.length, ...importer.added };
  } finally {
    source.close();
  }
}
