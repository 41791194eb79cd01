// What is archived: the archives of a group or of all, one of them to read, their removal, and how they are kept within a size.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { chooseByBeginning, safeName } from "../home/index.ts";
import {
  namesIn,
  notFoundError,
  removeFile,
  statIfThere,
  sumOf,
  takeLock,
  usageError,
} from "../lib/index.ts";
import { conversationsFolder, formats } from "./archive.ts";
import { COMPRESSED, compressFile } from "./bytes.ts";
import type { ArchiveFormatName } from "./model.ts";
import { bestTitle } from "./reading.ts";
import { type ArchiveRecord, readRecord, recordFiles, recordsFolder, writeRecord } from "./record.ts";

export interface ArchivedSession {
  readonly session: string;
  /** The group's folder name. */
  readonly group: string;
  /** The file as it is on disk. */
  readonly file: string;
  readonly format: ArchiveFormatName;
  readonly title: string;
  /** When the conversation began; when it was archived where nothing tells. Milliseconds since the epoch. */
  readonly beganAt: number;
  readonly archivedAt: number;
  readonly changedAt: number;
  readonly bytes: number;
  readonly isCompressed: boolean;
}

interface KnownArchive {
  readonly folder: string;
  readonly group: string;
  readonly record: ArchiveRecord & { readonly session: string; readonly file: string };
}

/** Those of groups, and the folder itself where archives were put into it without groups. */
function groupFolders(dir: string, group: string | undefined) {
  if (group !== undefined) return [conversationsFolder(dir, group), dir];
  const groups = namesIn(path.join(dir, "groups")).sort();
  return [...groups.map((name) => path.join(dir, "groups", name, "conversations")), dir];
}

function knownBy(folder: string, file: string): KnownArchive[] {
  const record = readRecord(file);
  if (record?.session === undefined || record.file === undefined) return [];
  const { session, file: name, group } = record;
  const ofFolder = path.basename(path.dirname(folder));
  return [{ folder, group: group ? safeName(group) : ofFolder, record: { ...record, session, file: name } }];
}

function knownIn(dir: string, group: string | undefined): KnownArchive[] {
  return groupFolders(dir, group).flatMap((folder) =>
    namesIn(recordsFolder(folder))
      .sort()
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => knownBy(folder, path.join(recordsFolder(folder), name)))
      .filter((known) => group === undefined || known.group === safeName(group)),
  );
}

/** An old list beside the transcript may have told it. */
const titleIn = (header = "") => /^# (.+)/.exec(header)?.[1] ?? "";

function describeArchive({ folder, group, record }: KnownArchive): ArchivedSession | undefined {
  const plain = path.join(folder, record.file);
  const file = existsSync(plain) ? plain : plain + COMPRESSED;
  const facts = statIfThere(file);
  if (!facts) return undefined;
  return {
    session: record.session,
    group,
    file,
    format: record.format ?? "md",
    title: bestTitle(record.notes, undefined) || titleIn(record.header),
    beganAt: record.notes.beganAt ?? record.archivedAt ?? 0,
    archivedAt: record.archivedAt ?? 0,
    changedAt: facts.mtimeMs,
    bytes: facts.size,
    isCompressed: file !== plain,
  };
}

/** The archives of a group, or of all groups; the one that changed last comes first. */
export function listArchives(dir: string, { group }: { readonly group?: string } = {}): ArchivedSession[] {
  return knownIn(dir, group)
    .flatMap((known) => describeArchive(known) ?? [])
    .sort((a, b) => b.changedAt - a.changedAt);
}

/** The archives of one session, of whatever group; without looking at any other's. */
export function archivesOf(dir: string, session: string): ArchivedSession[] {
  return groupFolders(dir, undefined)
    .flatMap((folder) => knownBy(folder, recordFiles(folder, session).record))
    .flatMap((known) => describeArchive(known) ?? []);
}

/** The archive of the session of that id, or the only one whose id or file name begins so. Throws `not-found`, `usage`. */
export function findArchive(
  dir: string,
  wanted: string,
  filter: { readonly group?: string } = {},
): ArchivedSession {
  const archives = listArchives(dir, filter);
  const name = chooseByBeginning(
    archives.flatMap(({ session, file }) => [session, path.basename(file)]),
    wanted,
  );
  const [only, another] = archives.filter(
    ({ session, file }) => session === name || path.basename(file) === name,
  );
  if (only && another) {
    throw usageError(
      `${wanted} is archived in several groups`,
      `say which: --group ${only.group} or --group ${another.group}`,
    );
  }
  if (only) return only;
  throw notFoundError(`no archive ${wanted} in ${dir}`, "`throughline archive list` shows what there is");
}

/** The text of an archive, without what a killed writer may have left half written. */
export function readArchive({ file, session, isCompressed }: ArchivedSession) {
  const bytes = isCompressed ? gunzipSync(readFileSync(file)) : readFileSync(file);
  const record = readRecord(recordFiles(path.dirname(file), session).record);
  if (!record?.growing || record.format === undefined) return bytes.toString("utf8");
  const { headerEnd, trailer } = formats[record.format];
  return bytes.toString("utf8", 0, (headerEnd(bytes) ?? 0) + record.bodyBytes) + trailer;
}

/**
 * Deletes an archive and what is remembered of it but how far its transcript was read, so that what is gone
 * is not archived again. False when another process is at it.
 */
export function removeArchive({ file, session }: ArchivedSession) {
  const files = recordFiles(path.dirname(file), session);
  const release = takeLock(files.lock);
  if (!release) return false;
  try {
    const sources = readRecord(files.record)?.sources ?? {};
    writeRecord(files.record, { v: 1, bodyBytes: 0, seenBytes: 0, sources, notes: { models: [] } });
    const plain = file.endsWith(COMPRESSED) ? file.slice(0, -COMPRESSED.length) : file;
    for (const gone of [plain, plain + COMPRESSED, files.seen, files.pending, files.temporary])
      removeFile(gone);
    return true;
  } finally {
    release();
  }
}

interface QuotaOptions {
  /** Bytes that all archives together may take up; 0 is no limit. */
  readonly maxBytes: number;
  /** Whether archives may go when compression is not enough. */
  readonly remove?: boolean;
}

interface QuotaPlan {
  readonly bytes: number;
  readonly maxBytes: number;
  /** Oldest first. */
  readonly compress: readonly ArchivedSession[];
  readonly remove: readonly ArchivedSession[];
  /** What all archives would take up afterwards; compression is estimated. */
  readonly expectedBytes: number;
}

/** What compression leaves of an archive, on the safe side; measured on real ones it is less. */
const COMPRESSED_SHARE = 0.4;

/** What would bring the archives under the limit, the oldest first. Removes only what is compressed already or would be. */
export function planQuota(archives: readonly ArchivedSession[], options: QuotaOptions): QuotaPlan {
  const { maxBytes } = options;
  const bytes = sumOf(archives, (archive) => archive.bytes);
  let expectedBytes = bytes;
  const isOver = () => maxBytes > 0 && expectedBytes > maxBytes;
  const oldest = archives.toSorted((a, b) => a.changedAt - b.changedAt);
  const left = new Map(oldest.map((archive) => [archive, archive.bytes]));
  const compress: ArchivedSession[] = [];
  for (const archive of oldest) {
    if (!isOver()) break;
    if (archive.isCompressed) continue;
    const saved = Math.floor(archive.bytes * (1 - COMPRESSED_SHARE));
    compress.push(archive);
    left.set(archive, archive.bytes - saved);
    expectedBytes -= saved;
  }
  const remove: ArchivedSession[] = [];
  for (const archive of options.remove ? oldest : []) {
    if (!isOver()) break;
    remove.push(archive);
    expectedBytes -= left.get(archive) ?? 0;
  }
  const doomed = new Set(remove);
  return { bytes, maxBytes, compress: compress.filter((one) => !doomed.has(one)), remove, expectedBytes };
}

/** Carries a plan out. What another process is at is left alone. */
export async function applyQuota(dir: string, plan: QuotaPlan) {
  let [compressed, removed] = [0, 0];
  for (const archive of plan.compress) if (await compressArchive(archive)) compressed += 1;
  for (const archive of plan.remove) if (removeArchive(archive)) removed += 1;
  const remainingBytes = sumOf(listArchives(dir), ({ bytes }) => bytes);
  return { bytes: plan.bytes, remainingBytes, compressed, removed };
}

async function compressArchive({ file, session }: ArchivedSession) {
  const files = recordFiles(path.dirname(file), session);
  const release = takeLock(files.lock);
  if (!release) return false;
  try {
    // Since it was listed another process may have done it, or taken the archive away.
    if (!existsSync(file)) return false;
    await compressFile(file, files.temporary);
    return true;
  } finally {
    removeFile(files.temporary);
    release();
  }
}
