// Writes one session into one file: reads what is new and appends it. Safe to kill at any point: the record says that the
// file is growing before a write, and that it has grown after it.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Home, projectOf, safeName, vaultFolder } from "../home/index.ts";
import {
  type Clock,
  defined,
  ensureFolder,
  namesIn,
  notFoundError,
  removeFile,
  statIfThere,
  systemClock,
  ThroughlineError,
  takeLock,
} from "../lib/index.ts";
import { indexTitle, type SessionFile, scanEntries, sessionFiles } from "../transcript/index.ts";
import { openVault, type Vault } from "../vault/index.ts";
import { COMPRESSED, composeFile, endsWith, expandFile, fileSize, growFile, readHead } from "./bytes.ts";
import { jsonFormat, markdownFormat } from "./formats.ts";
import type { ArchiveContent, ArchiveFormat, ArchiveFormatName } from "./model.ts";
import { archiveName, defaultNames } from "./name.ts";
import { bestTitle, depositsIn, type ReadingOptions, readNew } from "./reading.ts";
import {
  type ArchiveRecord,
  freshRecord,
  type RecordFiles,
  readRecord,
  recordFiles,
  recordsFolder,
  removeStrays,
  type SeenRows,
  writeRecord,
} from "./record.ts";

export const formats: Readonly<Record<ArchiveFormatName, ArchiveFormat>> = {
  md: markdownFormat,
  json: jsonFormat,
};

/**
 * The record of what is really there. An unfinished write is ignored; what a person wrote into the file
 * since is taken as it is; an archive that is gone, or cannot be read any more, is begun again.
 */
async function reconcileRecord(files: RecordFiles, record: ArchiveRecord) {
  const { folder, session, temporary } = files;
  const { file, format } = record;
  if (file === undefined || format === undefined) return { ...record, session };
  const place = path.join(folder, file);
  if (!existsSync(place) && existsSync(place + COMPRESSED)) await expandFile(place, temporary);
  const size = fileSize(place);
  const { headerEnd, isOf, trailer } = formats[format];
  const head = size === undefined ? Buffer.alloc(0) : await readHead(place);
  const start = headerEnd(head);
  // Another session may have taken the file name that this one had reserved.
  const isOurs =
    start !== undefined &&
    isOf(head.toString("utf8", 0, start), session, record.header) &&
    !(record.content === "conversation" && record.growing && isOfAnother(files, file));
  if (size === undefined || !isOurs) return freshRecord(session);
  const { growing: _, ...settled } = record;
  if (record.growing) return { ...settled, session };
  if (trailer !== "" && !(await endsWith(place, trailer))) return freshRecord(session);
  return { ...settled, session, bodyBytes: size - start - Buffer.byteLength(trailer) };
}

/** Whether the record of another session has that archive: a conversation's header does not tell whose it is. */
function isOfAnother({ folder, record }: RecordFiles, file: string) {
  const records = namesIn(recordsFolder(folder)).map((name) => path.join(recordsFolder(folder), name));
  return records.some((one) => one.endsWith(".json") && one !== record && readRecord(one)?.file === file);
}

interface ArchiveDraft {
  readonly header: string;
  /** What the record keeps of the archive's form. */
  readonly form: Pick<ArchiveRecord, "content" | "group">;
  readonly format: ArchiveFormatName;
  readonly archivedAt: number;
  /** The first name that is not taken. */
  readonly name: (isTaken: (name: string) => boolean) => string;
  /** Bytes of new parts in the pending file. */
  readonly newBytes: number;
  readonly seen: SeenRows;
  readonly after: Pick<ArchiveRecord, "sources" | "notes">;
}

/** Brings the archive to what the draft says and gives its name. */
async function writeDraft(files: RecordFiles, record: ArchiveRecord, draft: ArchiveDraft) {
  const { header, format, archivedAt, newBytes } = draft;
  const pieces = [{ file: files.pending, from: 0, length: newBytes }, formats[format].trailer];
  const intent = {
    ...record,
    ...draft.form,
    format,
    archivedAt,
    header: record.header ?? header,
    growing: true,
  };
  const file = record.file ?? (await createArchive(files, intent, draft, pieces));
  const place = path.join(files.folder, file);
  if (record.file !== undefined) {
    writeRecord(files.record, intent);
    const start = formats[format].headerEnd(await readHead(place));
    if (start === undefined)
      throw new ThroughlineError("io-failed", `${place} changed while it was written to`);
    const body = { file: place, from: start, length: record.bodyBytes };
    if (header === record.header) await growFile(place, start + record.bodyBytes, pieces);
    else await composeFile(place, [header, body, ...pieces], { temporary: files.temporary });
  }
  const seenBytes = draft.seen.save();
  const bodyBytes = record.bodyBytes + newBytes;
  const { growing: _, ...settled } = intent;
  writeRecord(files.record, { ...settled, ...draft.after, file, header, bodyBytes, seenBytes });
  return file;
}

async function createArchive(
  { folder, record, temporary }: RecordFiles,
  intent: ArchiveRecord,
  { header, name }: ArchiveDraft,
  pieces: Parameters<typeof composeFile>[1],
) {
  // Case is folded: on some systems two names that differ in it are one file.
  const folded = (text: string) => text.normalize("NFC").toLowerCase();
  const taken = new Set(readdirSync(folder).map((entry) => folded(entry).replace(/\.gz$/, "")));
  for (;;) {
    const file = name((candidate) => taken.has(folded(candidate)));
    writeRecord(record, { ...intent, file, bodyBytes: 0 });
    const isPlaced = await composeFile(path.join(folder, file), [header, ...pieces], {
      temporary,
      fresh: true,
    });
    if (isPlaced) return file;
    taken.add(folded(file));
  }
}

export interface ArchiveOptions {
  /** The folder that holds `groups/<group>/conversations/`. */
  readonly dir: string;
  readonly group: string;
  /** False puts archives into `dir` itself. Default true. */
  readonly groups?: boolean;
  /** The agent's id of the session; without it the transcript tells. */
  readonly session?: string;
  /** For new archives; an existing one keeps its format. Default `md`. */
  readonly format?: ArchiveFormatName;
  /** For new archives; an existing one keeps its content. Default `full`. */
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

/** `empty`: nothing was said yet, and no file was made. `busy`: another process is writing this archive. */
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

export function conversationsFolder(dir: string, group: string) {
  return path.join(dir, "groups", safeName(group), "conversations");
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface TranscriptFacts {
  readonly session: string;
  /** Where the session was started. */
  readonly cwd?: string;
}

const LOOKED_AT_ROWS = 100;

/** The session and folder of a transcript, from its first rows; the session also from a file name that is an id. */
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
  if (!statIfThere(transcript)) {
    throw notFoundError(
      `${transcript} does not exist.`,
      "Check the path; Claude Code keeps transcripts in ~/.claude/projects/.",
    );
  }
  const session = options.session ?? (await transcriptFacts(transcript)).session;
  const { dir, group, groups = true } = options;
  const files = recordFiles(groups ? conversationsFolder(dir, group) : dir, session);
  const release = takeLock(files.lock);
  if (!release) return { outcome: "busy", session, added: 0 };
  try {
    return await archiveLocked(transcript, files, options);
  } finally {
    for (const file of [files.pending, files.temporary]) removeFile(file);
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
    archivedAt,
    session,
    group,
    ...defined({ project: notes.cwd }),
    models: notes.models,
    assistantName,
    content,
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
    header,
    format,
    archivedAt,
    newBytes: bytes,
    seen,
    after,
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

/** Also skips rows that are not archived, so that the next run starts after them. */
function recordProgress(
  files: RecordFiles,
  record: ArchiveRecord,
  after: Pick<ArchiveRecord, "sources" | "notes">,
  seen: SeenRows,
) {
  const progressed = { ...record, ...after, seenBytes: seen.save() };
  if (JSON.stringify(progressed) !== JSON.stringify(record)) writeRecord(files.record, progressed);
}

/** As in the settings: an empty string means the default. */
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
export function archiveFolder({ dir }: Pick<ArchiveSettings, "dir">, home: Home) {
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
    nameTemplate: name,
    format,
    content,
    assistantName,
    maxTextCharacters,
    vault: openVault(vaultFolder(home)),
  };
}
