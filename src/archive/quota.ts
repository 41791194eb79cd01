// Keeping archives within a size: a warning, then compression of the oldest, and removal only for who asks for it.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { takeLock } from "../lib/index.ts";
import { type ArchivedSession, listArchives, removeArchive } from "./archiveIndex.ts";
import { compressFile } from "./bytes.ts";
import { recordFiles } from "./record.ts";

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
  const bytes = archives.reduce((sum, archive) => sum + archive.bytes, 0);
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

interface QuotaReport {
  readonly bytes: number;
  readonly remainingBytes: number;
  readonly compressed: number;
  readonly removed: number;
}

/** Carries a plan out. What another process is at is left alone. */
export async function applyQuota(dir: string, plan: QuotaPlan): Promise<QuotaReport> {
  let [compressed, removed] = [0, 0];
  for (const archive of plan.compress) if (await compressArchive(archive)) compressed += 1;
  for (const archive of plan.remove) if (removeArchive(archive)) removed += 1;
  const remainingBytes = listArchives(dir).reduce((sum, { bytes }) => sum + bytes, 0);
  return { bytes: plan.bytes, remainingBytes, compressed, removed };
}

async function compressArchive({ file, session }: ArchivedSession) {
  const files = recordFiles(path.dirname(file), session);
  const release = takeLock(files.lock);
  if (release === undefined) return false;
  try {
    // Since it was listed another process may have done it, or taken the archive away.
    if (!existsSync(file)) return false;
    await compressFile(file, files.temporary);
    return true;
  } finally {
    rmSync(files.temporary, { force: true });
    release();
  }
}
