// What is new in a session: its rows since the last run, as parts in a file of their own until they are written.
import { closeSync, openSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { defined } from "../lib/index.ts";
import { isUserInput, userWords } from "../messages/index.ts";
import { redactText } from "../redact/index.ts";
import {
  copiedEntries,
  isRealModel,
  promptTitle,
  readTogether,
  type SessionFile,
  scanEntries,
  type TranscriptEntry,
  titleLine,
} from "../transcript/index.ts";
import { type Deposit, nameOf, type Vault } from "../vault/index.ts";
import type { ArchivePart } from "./model.ts";
import { type KeptBytes, type PartOptions, partsOf } from "./parts.ts";
import {
  type ArchiveRecord,
  beginningOf,
  type RecordFiles,
  readFrom,
  SeenRows,
  type SessionNotes,
} from "./record.ts";

interface Deposits {
  /** The handle under which it will be found. */
  keep(bytes: KeptBytes): string | undefined;
  /** Brings what was put away to the disk when it has become much, and in any case when it is the last time. */
  flushDeposits(isLast: boolean): Promise<void>;
}

/** Enough to wait for the disk but once, and few enough to be held in memory. */
const MANY_DEPOSITS = 100;
const MUCH_BYTES = 4 * 1024 * 1024;

export function depositsIn(vault: Vault | undefined, session: string): Deposits {
  let waiting: Deposit[] = [];
  let size = 0;
  return {
    keep({ content, ...origin }) {
      if (!vault) return undefined;
      waiting.push({ content, origin: { session, level: "archive", ...origin } });
      size += content.length;
      return nameOf(content).handle;
    },
    async flushDeposits(isLast) {
      if (waiting.length === 0 || (!isLast && size < MUCH_BYTES && waiting.length < MANY_DEPOSITS)) return;
      const deposits = waiting;
      [waiting, size] = [[], 0];
      await vault?.putAll(deposits);
    },
  };
}

type NotesChange = Partial<SessionNotes>;

/** The notes with what one more entry says. `isOwn` tells whether a row of that id is in this session. */
function updateNotes(notes: SessionNotes, entry: TranscriptEntry, isOwn: (id: string) => boolean) {
  const changes: NotesChange = {
    ...(notes.cwd === undefined && entry.session?.cwd && { cwd: entry.session.cwd }),
    ...(entry.kind === "title" && titleChange(entry, isOwn)),
    ...(entry.kind === "message" && messageChange(notes, entry)),
  };
  return Object.keys(changes).length === 0 ? notes : { ...notes, ...changes };
}

/** Before anything is shortened or kept: a secret that was cut in two would no longer be known for one. */
const redactedPart = (text: string) => redactText(text).text;

function titleChange(
  entry: TranscriptEntry & { kind: "title" },
  isOwn: (id: string) => boolean,
): NotesChange {
  const text = titleLine(redactedPart(entry.text));
  if (entry.source !== "summary") return { [entry.source]: text };
  // Files also carry summaries of other sessions, which name rows that are not here.
  return text !== "" && (entry.leaf === undefined || isOwn(entry.leaf)) ? { summary: text } : {};
}

function messageChange(notes: SessionNotes, entry: TranscriptEntry & { kind: "message" }): NotesChange {
  const { at, id = "", message, meta = false, compactSummary = false, response } = entry;
  const model = response?.model;
  const item = { id, message, meta, compactSummary };
  const isPrompt = notes.prompt === undefined && !entry.sidechain && isUserInput(item);
  const prompt = isPrompt ? promptTitle(redactedPart(userWords(item))) : "";
  return {
    ...(notes.beganAt === undefined && defined({ beganAt: at })),
    ...(isRealModel(model) && !notes.models.includes(model) && { models: [...notes.models, model] }),
    ...(prompt !== "" && { prompt }),
  };
}

/** The best title known; empty when there is none. `index` is that of an old list beside the transcript. */
export function bestTitle({ custom, ai, summary, prompt }: SessionNotes, index: string | undefined) {
  return redactedPart(custom || ai || summary || index || prompt || "");
}

export interface ReadingOptions extends Omit<PartOptions, "agent"> {
  /** Brings what was put away to the disk, now or with the next ones; the last time all of it. */
  readonly flushDeposits: (isLast: boolean) => Promise<void>;
  /** Whether a row may be kept: not one of a time or a folder in which nothing is to be. */
  readonly isWanted: (row: { readonly at?: number; readonly cwd?: string }) => boolean;
  /** The byte before which a file is not read. */
  readonly from: (file: string) => number;
  /** How a part is written; `index` counts those of this run. */
  readonly render: (part: ArchivePart, index: number) => string;
  readonly signal?: AbortSignal;
}

const FLUSH_CHARACTERS = 1024 * 1024;
/** Other work of the process waits no longer than this. */
const LONGEST_READ_MS = 10;

/** Collects text in a private file, in large writes. */
function openPending(file: string): { add(text: string): void; close(): number } {
  const fd = openSync(file, "w", 0o600);
  let waiting: string[] = [];
  let [characters, bytes] = [0, 0];
  const flush = () => {
    const chunk = Buffer.from(waiting.join(""));
    for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
    bytes += chunk.length;
    [waiting, characters] = [[], 0];
  };
  return {
    add(text) {
      waiting.push(text);
      characters += text.length;
      if (characters >= FLUSH_CHARACTERS) flush();
    },
    close() {
      try {
        flush();
      } finally {
        closeSync(fd);
      }
      return bytes;
    },
  };
}

type NewParts = Pick<ArchiveRecord, "notes" | "sources"> & {
  readonly parts: number;
  readonly bytes: number;
  readonly seen: SeenRows;
};

/** The new parts go into the pending file; gives their number and bytes, and the record's fields after this run. */
export async function readNew(
  sources: readonly SessionFile[],
  record: ArchiveRecord,
  files: RecordFiles,
  options: ReadingOptions,
): Promise<NewParts> {
  const seen = new SeenRows(files.seen, record.seenBytes);
  const pending = openPending(files.pending);
  const ends = new Map(
    sources.map(({ name, file }) => [
      name,
      Math.max(readFrom(file, record.sources[name]), options.from(file)),
    ]),
  );
  let { notes } = record;
  const isCopy = copiedEntries();
  let parts = 0;
  let bytes = 0;
  let heldSince = performance.now();
  try {
    const together = readTogether(sources, {
      open: ({ file, name }) => scanEntries(file, { from: ends.get(name) ?? 0 }),
      timeOf: ({ entries }) => entries.find(({ at }) => at !== undefined)?.at,
    });
    for await (const { source, row } of together) {
      const { entries, end } = row;
      if (options.signal?.aborted) break;
      const { agent } = source;
      for (const entry of entries) {
        const takesPlace = entry.kind === "message" || entry.kind === "boundary";
        if (takesPlace && entry.id !== undefined && !seen.add(entry.id)) continue;
        if (agent === undefined && isCopy(entry)) continue;
        const row = defined({ at: entry.at || undefined, cwd: entry.session?.cwd || undefined });
        if (!options.isWanted(row)) continue;
        if (agent === undefined) notes = updateNotes(notes, entry, (id) => seen.has(id));
        for (const part of partsOf(entry, { ...options, ...defined({ agent }) }))
          pending.add(options.render(part, parts++));
      }
      ends.set(source.name, end);
      await options.flushDeposits(false);
      if (performance.now() - heldSince > LONGEST_READ_MS) {
        await nextTurn();
        heldSince = performance.now();
      }
    }
    await options.flushDeposits(true);
  } finally {
    bytes = pending.close();
  }
  const marks = sources.map(({ name, file }) => {
    const offset = ends.get(name) ?? 0;
    return [name, { offset, beginning: offset === 0 ? "" : beginningOf(file, offset) }] as const;
  });
  return { parts, bytes, notes, sources: { ...record.sources, ...Object.fromEntries(marks) }, seen };
}
