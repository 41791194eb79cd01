// Writes parts into a session's archive: says so first, writes, says that it is done. In between anything may happen.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { namesIn, ThroughlineError } from "../lib/index.ts";
import { COMPRESSED, composeFile, endsWith, expandFile, fileSize, growFile, readHead } from "./bytes.ts";
import { jsonFormat, markdownFormat } from "./formats.ts";
import type { ArchiveFormat, ArchiveFormatName } from "./model.ts";
import {
  type ArchiveRecord,
  freshRecord,
  type RecordFiles,
  readRecord,
  recordsFolder,
  type SeenRows,
  writeRecord,
} from "./record.ts";

export const formats: Readonly<Record<ArchiveFormatName, ArchiveFormat>> = {
  md: markdownFormat,
  json: jsonFormat,
};

/**
 * The record of what is really there. Half of a write is taken for nothing; what a person wrote into the file
 * since is taken as it is; an archive that is gone, or cannot be read any more, is begun again.
 */
export async function reconcileRecord(files: RecordFiles, record: ArchiveRecord) {
  const { folder, session, temporary } = files;
  const { file, format } = record;
  if (file === undefined || format === undefined) return { ...record, session };
  const place = path.join(folder, file);
  if (!existsSync(place) && existsSync(place + COMPRESSED)) await expandFile(place, temporary);
  const size = fileSize(place);
  const { headerEnd, isOf, trailer } = formats[format];
  const head = size === undefined ? Buffer.alloc(0) : await readHead(place);
  const start = headerEnd(head);
  // A name that was only meant for us may have become another session's.
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
export async function writeDraft(files: RecordFiles, record: ArchiveRecord, draft: ArchiveDraft) {
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
