// Imports in the worker: one source at a time, told in small answers how far it is, done again by the next worker if this one leaves.
import path from "node:path";
import { type Home, pauses, spoolFolder } from "../home/index.ts";
import { defined, errorText, isObject, ThroughlineError } from "../lib/index.ts";
import { type ImportedClaudeMem, importClaudeMem } from "./importClaudeMem.ts";
import { type ImportedTranscript, importTranscript, type TranscriptParts } from "./importTranscript.ts";
import { UnreadableSource, type Watch } from "./watch.ts";

/** What can be asked for: a transcript of Claude Code or a database of claude-mem, by its file. */
export interface ImportSource {
  readonly kind: "transcript" | "claude-mem";
  readonly file: string;
}

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

export interface Importer {
  /** Takes what came over a wire. Begins a source or joins it, waits a moment, and tells how far it is. */
  answer(request: unknown): Promise<ImportAnswer>;
  busy(): boolean;
  /** Ends at the next row; what was begun is done again by the next worker, and nothing twice. */
  stop(): Promise<void>;
}

interface ImporterParts extends Omit<TranscriptParts, "badFolder" | "pauses"> {
  readonly home: Home;
  /** Has what hooks have spooled kept first: they know more of an event than its transcript. */
  readonly drain: () => Promise<unknown>;
  /** Called now and then while something is kept. */
  readonly onKept: () => void;
}

/** An answer is given after so long at the latest: a connection that is silent for a minute is closed. */
const ANSWER_MS = 500;

interface Undertaken {
  readonly name: string;
  share: number;
  isEnded: boolean;
  readonly ended: Promise<SourceProgress>;
}

/** Undefined when it takes longer than an answer may. */
async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function readSource(request: unknown): ImportSource | undefined {
  if (!isObject(request) || request.file === undefined) return undefined;
  const { kind, file } = request;
  if ((kind === "transcript" || kind === "claude-mem") && typeof file === "string") return { kind, file };
  throw new ThroughlineError("usage", "what is imported has a kind and a file");
}

function failure(error: unknown): SourceProgress {
  if (!(error instanceof UnreadableSource)) throw error;
  const fix = error.cause instanceof ThroughlineError ? error.cause.fix : undefined;
  return { state: "failed", problem: errorText(error), ...defined({ fix }) };
}

type WorkParts = TranscriptParts & Pick<ImporterParts, "drain" | "onKept">;

async function work(parts: WorkParts, { kind, file }: ImportSource, watch: Watch): Promise<SourceProgress> {
  try {
    // What cannot be drained stays in the spool, and its events are known by their ids when it can.
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

export function makeImporter(given: ImporterParts): Importer {
  const { home, store, clock } = given;
  const badFolder = path.join(spoolFolder(home), "bad");
  const parts = { ...given, badFolder, pauses: () => pauses(home) };
  const stopping = new AbortController();
  /** What was begun last; when it is ended, until its outcome was reported. */
  let current: Undertaken | undefined;
  const begin = (source: ImportSource): Undertaken => {
    const begun = { name: JSON.stringify(source), share: 0, isEnded: false };
    const onProgress = (share: number) => {
      begun.share = share;
    };
    const ended = work(parts, source, { signal: stopping.signal, onProgress }).finally(() => {
      begun.isEnded = true;
    });
    // The next request reports a failure; it need not come.
    ended.catch(() => undefined);
    return Object.assign(begun, { ended });
  };
  /** One source at a time: who asks for another waits until the one in hand is done. */
  const join = async (source: ImportSource): Promise<SourceProgress> => {
    const isOther = (one: Undertaken | undefined): one is Undertaken =>
      one !== undefined && one.name !== JSON.stringify(source);
    if (isOther(current) && !current.isEnded) await within(current.ended.catch(() => undefined));
    if (isOther(current) && !current.isEnded) return { state: "running", share: 0 };
    if (current === undefined || isOther(current)) current = begin(source);
    const mine = current;
    const progress = await within(mine.ended).finally(() => {
      if (mine.isEnded && current === mine) current = undefined;
    });
    return progress ?? { state: "running", share: mine.share };
  };
  return {
    async answer(request) {
      const source = readSource(request);
      const progress = source === undefined ? undefined : await join(source);
      const workLeft = await store.workDue(["observe", "summarize"], clock.now());
      return { ...defined({ source: progress }), workLeft };
    },
    busy: () => current !== undefined && !current.isEnded,
    stop: async () => {
      stopping.abort();
      await current?.ended.catch(() => undefined);
    },
  };
}
