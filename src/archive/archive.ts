// One session into one file: reads what is new, writes it behind what is there, and is safe to kill at any point.

import { existsSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, projectOf, safeName, vaultFolder } from "../home/index.ts";
import { type Clock, defined, ensureFolder, systemClock, ThroughlineError, takeLock } from "../lib/index.ts";
import { indexTitle, type SessionFile, scanEntries, sessionFiles } from "../transcript/index.ts";
import { openVault, type Vault } from "../vault/index.ts";
import { COMPRESSED } from "./bytes.ts";
import type { ArchiveFormatName } from "./model.ts";
import { archiveName, DEFAULT_NAME } from "./name.ts";
import { bestTitle, depositsIn, type NewParts, type ReadingOptions, readNew } from "./reading.ts";
import {
  type ArchiveRecord,
  type Books,
  booksOf,
  freshRecord,
  readRecord,
  removeStrays,
  writeRecord,
} from "./record.ts";
import { formatNamed, reconcileRecord, writeDraft } from "./writing.ts";

export interface ArchiveOptions {
  /** The folder that holds `groups/<group>/conversations/`. */
  readonly dir: string;
  readonly group: string;
  /** The agent's id of the session; without it the transcript tells. */
  readonly session?: string;
  /** Of new archives; one that is there keeps its form. Default `md`. */
  readonly format?: ArchiveFormatName;
  /** Default `{date}-{slug}-{id}.md`. */
  readonly nameTemplate?: string;
  /** What the assistant is called. Default `Assistant`. */
  readonly assistantName?: string;
  /** Texts are cut here; 0, the default, keeps them whole. */
  readonly maxTextCharacters?: number;
  /** Where the exact bytes of tool calls and results go. Without it archives carry no handles. */
  readonly vault?: Vault;
  readonly isWanted?: ReadingOptions["isWanted"];
  /** The byte before which a file of the session is not read. */
  readonly from?: (file: string) => number;
  /** Ends the run early, at a row; the next one goes on from there. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** IANA name; the system's own without it. */
  readonly timeZone?: string;
}

/** `empty`: nothing was said yet, and no file was made. `busy`: another process is at this archive. */
type ArchiveRunOutcome = "created" | "grown" | "unchanged" | "empty" | "busy";

export interface ArchiveReport {
  readonly outcome: ArchiveRunOutcome;
  readonly session: string;
  /** The archive's full path; absent when there is none. */
  readonly file?: string;
  /** Parts that were added. */
  readonly added: number;
}

const ASSISTANT = "Assistant";

export function conversationsFolder(dir: string, group: string): string {
  return path.join(dir, "groups", safeName(group), "conversations");
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface TranscriptFacts {
  readonly session: string;
  /** Where the session was started. */
  readonly cwd?: string;
}

const LOOKED_AT_ROWS = 100;

/** Whose a transcript is, told by its first rows; the file's name tells the session where that is an id. */
export async function transcriptFacts(transcript: string): Promise<TranscriptFacts> {
  const name = path.basename(transcript).replace(/\.jsonl$/, "");
  let session = uuid.test(name) ? name : undefined;
  let cwd: string | undefined;
  let rows = 0;
  for await (const { entries } of scanEntries(transcript)) {
    for (const entry of entries) {
      session ??= entry.session?.sessionId;
      cwd ??= entry.session?.cwd;
    }
    rows += 1;
    if (rows === LOOKED_AT_ROWS || (session !== undefined && cwd !== undefined)) break;
  }
  return { session: session ?? name, ...defined({ cwd }) };
}

/**
 * Archives what a transcript holds and its archive does not. Throws only for the transcript as a whole
 * (as `scanRows` does) and for a disk that refuses.
 */
export async function archiveTranscript(transcript: string, options: ArchiveOptions): Promise<ArchiveReport> {
  if (statSync(transcript, { throwIfNoEntry: false }) === undefined) {
    throw new ThroughlineError(
      "not-found",
      `${transcript} does not exist.`,
      "Check the path; Claude Code keeps transcripts in ~/.claude/projects/.",
    );
  }
  const session = options.session ?? (await transcriptFacts(transcript)).session;
  const folder = conversationsFolder(options.dir, options.group);
  const books = booksOf(folder, session);
  const release = takeLock(books.lock);
  if (release === undefined) return { outcome: "busy", session, added: 0 };
  try {
    return await archiveLocked(transcript, { session, folder, books }, options);
  } finally {
    for (const file of [books.pending, books.temporary]) rmSync(file, { force: true });
    release();
  }
}

interface ArchivePlace {
  readonly session: string;
  readonly folder: string;
  readonly books: Books;
}

/** Whether there is nothing to do: every file was read to its end, and the archive is where it should be. */
function isUpToDate(record: ArchiveRecord, sources: readonly SessionFile[], folder: string) {
  const { file, growing } = record;
  if (growing) return false;
  const place = file === undefined ? undefined : path.join(folder, file);
  const isThere = place === undefined || existsSync(place) || existsSync(place + COMPRESSED);
  return isThere && sources.every(({ name, size }) => (record.sources[name]?.offset ?? 0) === size);
}

async function archiveLocked(
  transcript: string,
  { session, folder, books }: ArchivePlace,
  options: ArchiveOptions,
) {
  ensureFolder(folder);
  const sources = sessionFiles(transcript);
  const known = readRecord(books.record) ?? freshRecord(session);
  const report = (outcome: ArchiveRunOutcome, file: string | undefined, added: number): ArchiveReport => ({
    outcome,
    session,
    ...defined({ file: file && path.join(folder, file) }),
    added,
  });
  if (isUpToDate(known, sources, folder)) return report(known.file ? "unchanged" : "empty", known.file, 0);
  removeStrays(books);
  const record = await reconcileRecord(folder, books, known, session);
  const format = record.format ?? options.format ?? "md";
  const found = await readNew(sources, record, books, readingOptions(options, { session, format, record }));
  const { sources: marks, notes, parts, bytes } = found;
  const after = { sources: marks, notes };
  const { clock = systemClock, timeZone } = options;
  const archivedAt = record.archivedAt ?? clock.now();
  const title = bestTitle(notes, (await indexTitle(transcript, session))?.text);
  const header = formatNamed(format).header({
    title: title || "Conversation",
    ...{ archivedAt, session, group: options.group },
    ...defined({ project: notes.cwd }),
    models: notes.models,
    assistantName: options.assistantName ?? ASSISTANT,
    ...defined({ timeZone }),
  });
  if (parts === 0 && (record.file === undefined || (header === record.header && !known.growing))) {
    if (record.file !== undefined) recordProgress(books, record, after, found);
    return report(record.file ? "unchanged" : "empty", record.file, 0);
  }
  const naming = { template: options.nameTemplate ?? DEFAULT_NAME, title, session };
  const times = { beganAt: notes.beganAt ?? archivedAt, ...defined({ timeZone }) };
  const { extension } = formatNamed(format);
  const file = await writeDraft(folder, books, record, {
    header,
    format,
    archivedAt,
    name: (isTaken) => archiveName({ ...naming, ...times, extension }, isTaken),
    pending: { file: books.pending, bytes },
    seen: found.seen,
    after,
  });
  return report(record.file === undefined ? "created" : "grown", file, parts);
}

function readingOptions(
  options: ArchiveOptions,
  { session, format, record }: { session: string; format: ArchiveFormatName; record: ArchiveRecord },
): ReadingOptions {
  const { vault, assistantName = ASSISTANT, signal } = options;
  const deposits = depositsIn(vault, session);
  return {
    ...deposits,
    maxCharacters: options.maxTextCharacters ?? 0,
    isWanted: options.isWanted ?? (() => true),
    from: options.from ?? (() => 0),
    render: (part, index) =>
      formatNamed(format).part(part, { isFirst: record.bodyBytes === 0 && index === 0, assistantName }),
    ...defined({ signal }),
  };
}

/** Rows that say nothing an archive holds are passed all the same: the next run begins behind them. */
function recordProgress(
  books: Books,
  record: ArchiveRecord,
  after: Pick<ArchiveRecord, "sources" | "notes">,
  { seen }: NewParts,
) {
  const seenBytes = seen.save();
  const settled = { ...record, ...after, seenBytes };
  if (JSON.stringify(settled) !== JSON.stringify(record)) writeRecord(books.record, settled);
}

/** As in the settings: an empty text is no choice. */
interface ArchiveSettings {
  readonly dir: string;
  readonly group: string;
  readonly name: string;
  readonly format: ArchiveFormatName;
  readonly assistantName: string;
  readonly maxTextCharacters: number;
}

/** The folder that holds all groups. */
export function archiveFolder({ dir }: Pick<ArchiveSettings, "dir">, home: Home): string {
  return dir === "" ? home.data : path.resolve(dir);
}

/** `cwd` is where the session was started: without a group in the settings it belongs to that project. */
export function archiveOptions(
  settings: ArchiveSettings,
  { home, cwd }: { readonly home: Home; readonly cwd: string | undefined },
): ArchiveOptions {
  return {
    dir: archiveFolder(settings, home),
    group: settings.group || (cwd === undefined ? "unknown" : projectOf(cwd).id),
    nameTemplate: settings.name,
    format: settings.format,
    assistantName: settings.assistantName,
    maxTextCharacters: settings.maxTextCharacters,
    vault: openVault(vaultFolder(home)),
  };
}
