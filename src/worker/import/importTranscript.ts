// One session's transcript into store and archive: all of it, once, with the times and the folders of then.
import path from "node:path";
import { transcriptFacts } from "../../archive/index.ts";
import { errorText, sha256, ThroughlineError } from "../../lib/index.ts";
import type { Store } from "../../store/index.ts";
import {
  type Problem,
  readTogether,
  type ScannedRow,
  type SessionFile,
  scanRows,
  sessionFiles,
} from "../../transcript/index.ts";
import type { Archived, Wanted } from "../archiver.ts";
import { fairTurns } from "../fairTurns.ts";
import { messageReader } from "../transcriptMessages.ts";
import { type EventCounts, type Keeper, type KeeperParts, makeKeeper, projectsFrom } from "./keeper.ts";
import { type PastSession, pastSession, type SessionParts } from "./session.ts";

export interface TranscriptParts extends Omit<SessionParts, "store">, KeeperParts {
  readonly store: Store;
  readonly archive: (wanted: Wanted) => Promise<Archived>;
}

export interface ImportedTranscript {
  /** `unchanged`: it was imported before, as it is. */
  readonly outcome: "imported" | "unchanged";
  readonly session: string;
  /** Of what is kept of it; absent where nothing is. */
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly events: EventCounts;
  readonly messages: number;
  /** Rows of pauses and of excluded folders. */
  readonly leftOut: number;
  /** Lines that could not be used, the first of them; `problemCount` is how many there were. */
  readonly problems: readonly string[];
  readonly problemCount: number;
  readonly archived: boolean;
}

export interface Watch {
  readonly signal: AbortSignal;
  /** Bytes of the source that are done. */
  readonly onProgress: (bytes: number) => void;
}

/** The source itself cannot be read; what was asked for besides can still be done. */
export class UnreadableSource extends Error {}

/** The worker leaves; the next one does it again, and nothing twice. */
export class Interrupted extends ThroughlineError {
  constructor() {
    super("worker-absent", "the worker left before the import was done", { fix: "throughline import" });
  }
}

const SHOWN_PROBLEMS = 5;
/** To be raised when more is read out of the same rows: then what was imported is read once more. */
const READER = 1;

/** Transcripts only ever grow: their sizes tell whether there is something new. */
const stateOf = (files: readonly SessionFile[]): string =>
  [`v${READER}`, ...files.map(({ name, size }) => `${name}:${size}`)].join(" ");

type Row = ScannedRow | "end";

/** The rows, and a word when there are no more. */
async function* rowsOf(
  file: string,
  from: number,
  onProblem: (problem: Problem) => void,
): AsyncGenerator<Row> {
  try {
    yield* scanRows(file, { from, onProblem });
  } catch (error) {
    throw unreadable(error);
  }
  yield "end";
}

const unreadable = (error: unknown): UnreadableSource =>
  new UnreadableSource(errorText(error), { cause: error });

const timeOf = (row: Row): number | undefined =>
  (row === "end" ? undefined : Date.parse(String(row.row.timestamp))) || undefined;

/** Reads all rows and hands them to `keeper`. Gives how many were left out, and what was wrong with lines. */
async function takeIn(
  past: PastSession,
  keeper: Keeper,
  { signal, onProgress }: Watch,
): Promise<Pick<ImportedTranscript, "leftOut" | "problems" | "problemCount">> {
  const problems: string[] = [];
  let problemCount = 0;
  const onProblem = (name: string, { kind, message }: Problem): void => {
    // While somebody writes, the last line may be on its way.
    if (kind === "torn-tail" && !past.isOver) return;
    problemCount += 1;
    if (problems.length < SHOWN_PROBLEMS) problems.push(`${name}: ${message}`);
  };
  const talks = new Map(past.files.map(({ file }) => [file, messageReader(past.session)]));
  const turn = fairTurns();
  let leftOut = 0;
  let done = past.files.reduce((sum, { from }) => sum + from, 0);
  const wanted = <T extends { readonly at: number }>(items: readonly T[], cwd: (item: T) => unknown): T[] =>
    items.filter((item) => {
      if (!past.isOwn(item.at)) return false;
      const isWanted = past.isWanted({ at: item.at, cwd: cwd(item) });
      leftOut += isWanted ? 0 : 1;
      return isWanted;
    });
  const rows = readTogether(past.files, {
    open: ({ file, from }) => rowsOf(file, from, (problem) => onProblem(path.basename(file), problem)),
    timeOf,
  });
  for await (const { source, row } of rows) {
    if (signal.aborted) throw new Interrupted();
    const [events, said] =
      row === "end"
        ? [source.reader.end(past.isOver), []]
        : [source.reader.read(row.row, row.start), talks.get(source.file)?.read(row.row) ?? []];
    const bytes = row === "end" ? 0 : row.end - row.start;
    await keeper.add(
      wanted(events, ({ payload }) => payload.cwd),
      wanted(said, ({ cwd }) => cwd),
      bytes,
    );
    done += bytes;
    onProgress(done);
    await turn();
  }
  await keeper.flush();
  return { leftOut, problems, problemCount };
}

/** Throws `UnreadableSource` and `Interrupted`, and whatever the store throws: then it has to be done again. */
export async function importTranscript(
  parts: TranscriptParts,
  transcript: string,
  watch: Watch,
): Promise<ImportedTranscript> {
  const { store } = parts;
  const key = sha256(path.resolve(transcript));
  const state = stateOf(sessionFiles(transcript));
  const reading = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unreadable(error);
    });
  const facts = await reading(transcriptFacts(transcript));
  const { session } = facts;
  if ((await store.sourceState(key)) === state) {
    const nothing = { leftOut: 0, problems: [], problemCount: 0, events: {}, messages: 0, archived: false };
    return { outcome: "unchanged", session, ...nothing };
  }
  const past = await reading(pastSession(parts, transcript, facts));
  const keeper = makeKeeper(parts, { session, projectFor: projectsFrom(past.cwd) });
  const taken = await takeIn(past, keeper, watch);
  // Of a session of which nothing may be kept there is no archive either.
  const kept = await store.session(session);
  const archive = kept === undefined ? "left" : await parts.archive({ transcript, session });
  // What was left out may be wanted another time, and who is writing will write more.
  const isDone = taken.leftOut === 0 && past.isOver && archive !== "failed";
  await store.finishSource({ key, session, ...(isDone ? { state } : {}) });
  const { project, createdAt: from, lastActivityAt: to } = kept ?? {};
  const times = { ...(project && { project }), ...(from && { from }), ...(to && { to }) };
  const archived = archive === "archived";
  return { outcome: "imported", session, ...times, ...keeper.added(), ...taken, archived };
}
