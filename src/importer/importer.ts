// Imports in the worker: one source at a time, with its progress in short answers; the next worker repeats an interrupted one.
import path from "node:path";
import { z } from "zod";
import { type Home, pauses, spoolFolder } from "../home/index.ts";
import { check, defined, errorText, isObject, ThroughlineError, withinTime } from "../lib/index.ts";
import { type ImportedClaudeMem, importClaudeMem } from "./importClaudeMem.ts";
import { type ImportedTranscript, importTranscript, type TranscriptParts } from "./importTranscript.ts";
import { UnreadableSource, type Watch } from "./model.ts";

/** A transcript of Claude Code or a database of claude-mem, by its file. */
const importSource = z.object({ kind: z.enum(["transcript", "claude-mem"]), file: z.string() }).readonly();
export type ImportSource = z.infer<typeof importSource>;

export type ImportedSource =
  | ({ readonly kind: "transcript" } & ImportedTranscript)
  | ({ readonly kind: "claude-mem" } & ImportedClaudeMem);

/** How far a source is. `failed`: it cannot be read, and the others can. */
type SourceProgress =
  | { readonly state: "running" /** From 0 to 1. */; readonly share: number }
  | { readonly state: "done"; readonly report: ImportedSource }
  | { readonly state: "failed"; readonly problem: string; readonly fix?: string };

/** `workLeft`: calls and ends of turns that wait to be observed. */
export interface ImportAnswer {
  readonly source?: SourceProgress;
  readonly workLeft: number;
}

interface ImporterParts extends Omit<TranscriptParts, "badFolder" | "pauses"> {
  readonly home: Home;
  /** Stores what hooks have spooled first: they know more of an event than its transcript. */
  readonly drain: () => Promise<unknown>;
  /** Called now and then while something is kept. */
  readonly onKept: () => void;
}

/** A connection that is silent for a minute is closed: an answer comes after this time at the latest. */
const ANSWER_MS = 500;

type RunningImport = ReturnType<ReturnType<typeof importStarter>>;

function failure(error: unknown): SourceProgress {
  if (!(error instanceof UnreadableSource)) throw error;
  const fix = error.cause instanceof ThroughlineError ? error.cause.fix : undefined;
  return { state: "failed", problem: errorText(error), ...defined({ fix }) };
}

type WorkParts = TranscriptParts & Pick<ImporterParts, "drain" | "onKept">;

async function importSourceFile(
  parts: WorkParts,
  { kind, file }: ImportSource,
  watch: Watch,
): Promise<SourceProgress> {
  try {
    // What cannot be drained stays in the spool; its events are then known by their ids.
    await parts.drain().catch(() => undefined);
    const report: ImportedSource =
      kind === "transcript"
        ? { kind, ...(await importTranscript(parts, file, watch)) }
        : { kind, ...(await importClaudeMem(parts, file, watch)) };
    return { state: "done", report };
  } catch (error) {
    return failure(error);
  } finally {
    parts.onKept();
  }
}

function importStarter(parts: WorkParts, signal: AbortSignal) {
  return (source: ImportSource) => {
    const begun = { name: JSON.stringify(source), share: 0, isEnded: false };
    const onProgress = (share: number) => {
      begun.share = share;
    };
    const ended = importSourceFile(parts, source, { signal, onProgress }).finally(() => {
      begun.isEnded = true;
    });
    // The next request reports a failure; it need not come.
    ended.catch(() => undefined);
    return Object.assign(begun, { ended });
  };
}

export function makeImporter(given: ImporterParts) {
  const { home, store, clock } = given;
  const badFolder = path.join(spoolFolder(home), "bad");
  const parts = { ...given, badFolder, pauses: () => pauses(home) };
  const stopping = new AbortController();
  /** The import that was begun last, until its outcome was reported. */
  let current: RunningImport | undefined;
  const begin = importStarter(parts, stopping.signal);
  /** One source at a time: a request for another waits until the running one is done. */
  const join = async (source: ImportSource): Promise<SourceProgress> => {
    const isOther = (one: RunningImport | undefined): one is RunningImport =>
      one !== undefined && one.name !== JSON.stringify(source);
    if (isOther(current) && !current.isEnded)
      await withinTime(
        current.ended.catch(() => undefined),
        ANSWER_MS,
      );
    if (isOther(current) && !current.isEnded) return { state: "running", share: 0 };
    if (!current || isOther(current)) current = begin(source);
    const mine = current;
    const progress = await withinTime(mine.ended, ANSWER_MS).finally(() => {
      if (mine.isEnded && current === mine) current = undefined;
    });
    return progress === "late" ? { state: "running", share: mine.share } : progress;
  };
  return {
    /** Takes what came over a wire. Begins a source or joins it, waits a moment, and tells how far it is. */
    async answer(request: unknown): Promise<ImportAnswer> {
      const isAsked = isObject(request) && request.file !== undefined;
      const source = isAsked ? await join(check(importSource, request)) : undefined;
      const workLeft = await store.workDue(["observe", "summarize"], clock.now());
      return { ...defined({ source }), workLeft };
    },
    busy: () => current !== undefined && !current.isEnded,
    /** Ends at the next row; the next worker imports the source again, and stores nothing twice. */
    stop: async () => {
      stopping.abort();
      await current?.ended.catch(() => undefined);
    },
  };
}
