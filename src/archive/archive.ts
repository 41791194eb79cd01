// One session into one file: reads what is new, writes it behind what is there, and is safe to kill at any point.

import { existsSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, projectOf, safeName, vaultFolder } from "../home/index.ts";
import { type Clock, defined, ensureFolder, systemClock, ThroughlineError, takeLock } from "../lib/index.ts";
import { indexTitle, type SessionFile, scanEntries, sessionFiles } from "../transcript/index.ts";
import { openVault, type Vault } from "../vault/index.ts";
import { COMPRESSED } from "./bytes.ts";
import type { ArchiveContent, ArchiveFormatName } from "./model.ts";
import { archiveName, defaultNames } from "./name.ts";
import { bestTitle, depositsIn, type ReadingOptions, readNew } from "./reading.ts";
import {
  type ArchiveRecord,
  freshRecord,
  type RecordFiles,
  readRecord,
  recordFiles,
  removeStrays,
  type SeenRows,
  writeRecord,
} from "./record.ts";
import { formats, reconcileRecord, writeDraft } from "./writing.ts";

export interface ArchiveOptions {
  /** The folder that holds `groups/<group>/conversations/`. */
  readonly dir: string;
  readonly group: string;
  /** False puts archives into `dir` itself. Default true. */
  readonly groups?: boolean;
  /** The agent's id of the session; without it the transcript tells. */
  readonly session?: string;
  /** Of new archives; one that is there keeps its form. Default `md`. */
  readonly format?: ArchiveFormatName;
  /** Of new archives; one that is there keeps what it has. Default `full`. */
  readonly content?: ArchiveContent;
  /** Default `{date}-{slug}-{id}.md`, of a conversation alone `{date}-{summary}.md`. */
  readonly nameTemplate?: string;
  /** What the assistant is called. Default `Assistant`. */
  readonly assistantName?: string;
  /** Texts are cut here; 0, the default, keeps them whole, and cuts those of a conversation alone at 2,000. */
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
const CONVERSATION_TEXT = 2_000;

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
  const { dir, group, groups = true } = options;
  const files = recordFiles(groups ? conversationsFolder(dir, group) : dir, session);
  const release = takeLock(files.lock);
  if (release === undefined) return { outcome: "busy", session, added: 0 };
  try {
    return await archiveLocked(transcript, files, options);
  } finally {
    for (const file of [files.pending, files.temporary]) rmSync(file, { force: true });
    release();
  }
}

/** Whether there is nothing to do: every file was read to its end, and the archive is where it should be. */
function isUpToDate(record: ArchiveRecord, sources: readonly SessionFile[], folder: string) {
  const { file, growing } = record;
  if (growing) return false;
  const place = file === undefined ? undefined : path.join(folder, file);
  const isThere = place === undefined || existsSync(place) || existsSync(place + COMPRESSED);
  return isThere && sources.every(({ name, size }) => (record.sources[name]?.offset ?? 0) === size);
}

async function archiveLocked(transcript: string, files: RecordFiles, options: ArchiveOptions) {
  const { folder, session } = files;
  ensureFolder(folder);
  const sources = sessionFiles(transcript);
  const known = readRecord(files.record) ?? freshRecord(session);
  const report = (outcome: ArchiveRunOutcome, file: string | undefined, added: number): ArchiveReport => ({
    outcome,
    session,
    ...defined({ file: file && path.join(folder, file) }),
    added,
  });
  if (isUpToDate(known, sources, folder)) return report(known.file ? "unchanged" : "empty", known.file, 0);
  removeStrays(files);
  const record = await reconcileRecord(files, known);
  const format = record.format ?? options.format ?? "md";
  const content = record.file === undefined ? (options.content ?? "full") : (record.content ?? "full");
  const { extension, header: headerOf } = formats[format];
  const reading = readingOptions(options, { session, format, content, record });
  const found = await readNew(sources, record, files, reading);
  const { sources: marks, notes, parts, bytes, seen } = found;
  const after = { sources: marks, notes };
  const { clock = systemClock, timeZone, group, assistantName = ASSISTANT } = options;
  const archivedAt = record.archivedAt ?? clock.now();
  const title = bestTitle(notes, (await indexTitle(transcript, session))?.text);
  const header = headerOf({
    title: title || "Conversation",
    ...{ archivedAt, session, group },
    ...defined({ project: notes.cwd }),
    ...{ models: notes.models, assistantName, content },
    ...defined({ timeZone }),
  });
  if (parts === 0 && (record.file === undefined || (header === record.header && !known.growing))) {
    if (record.file !== undefined) recordProgress(files, record, after, seen);
    return report(record.file ? "unchanged" : "empty", record.file, 0);
  }
  const template = options.nameTemplate || defaultNames[content];
  const beganAt = notes.beganAt ?? archivedAt;
  const naming = { template, title, session, extension, beganAt, ...defined({ timeZone }) };
  const file = await writeDraft(files, record, {
    ...{ header, format, archivedAt, newBytes: bytes, seen, after },
    form: { content, ...(options.groups === false && { group }) },
    name: (isTaken) => archiveName(naming, isTaken),
  });
  return report(record.file === undefined ? "created" : "grown", file, parts);
}

function readingOptions(
  options: ArchiveOptions,
  {
    session,
    format,
    content,
    record,
  }: { session: string; format: ArchiveFormatName; content: ArchiveContent; record: ArchiveRecord },
): ReadingOptions {
  const { vault, assistantName = ASSISTANT, signal } = options;
  return {
    ...depositsIn(vault, session),
    content,
    maxCharacters: options.maxTextCharacters || (content === "conversation" ? CONVERSATION_TEXT : 0),
    isWanted: options.isWanted ?? (() => true),
    from: options.from ?? (() => 0),
    render: (part, index) =>
      formats[format].part(part, {
        isFirst: record.bodyBytes === 0 && index === 0,
        assistantName,
        content,
      }),
    ...defined({ signal }),
  };
}

/** Rows that say nothing an archive holds are passed all the same: the next run begins behind them. */
function recordProgress(
  files: RecordFiles,
  record: ArchiveRecord,
  after: Pick<ArchiveRecord, "sources" | "notes">,
  seen: SeenRows,
) {
  const progressed = { ...record, ...after, seenBytes: seen.save() };
  if (JSON.stringify(progressed) !== JSON.stringify(record)) writeRecord(files.record, progressed);
}

/** As in the settings: an empty text is no choice. */
interface ArchiveSettings {
  readonly dir: string;
  readonly group: string;
  readonly groups: boolean;
  readonly content: ArchiveContent;
  readonly name: string;
  readonly format: ArchiveFormatName;
  readonly assistantName: string;
  readonly maxTextCharacters: number;
}

/** The folder that holds all groups, or all archives. */
export function archiveFolder({ dir }: Pick<ArchiveSettings, "dir">, home: Home): string {
  return dir === "" ? home.data : path.resolve(dir);
}

/** `cwd` is where the session was started: without a group in the settings it belongs to that project. */
export function archiveOptions(
  settings: ArchiveSettings,
  { home, cwd }: { readonly home: Home; readonly cwd: string | undefined },
): ArchiveOptions {
  const { name, format, content, assistantName, maxTextCharacters } = settings;
  return {
    dir: archiveFolder(settings, home),
    group: settings.group || (cwd === undefined ? "unknown" : projectOf(cwd).id),
    // The data folder has other files too.
    groups: settings.groups || settings.dir === "",
    ...{ nameTemplate: name, format, content, assistantName, maxTextCharacters },
    vault: openVault(vaultFolder(home)),
  };
}
