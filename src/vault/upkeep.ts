// Keeping the vault in order: sweeping by age and size, forgetting on request, checking every byte.
import { sha256 as hash } from "../lib/index.ts";
import { groupOrigins, notFound, onlyOne } from "./find.ts";
import { handleMatcher, handleOf, requireHandle } from "./handle.ts";
import type {
  ForgetReport,
  OriginEntry,
  StoredBlob,
  SweepOptions,
  SweepReport,
  VaultReport,
} from "./model.ts";
import { planSweep, SETTLING } from "./retention.ts";
import type { Shelf } from "./shelf.ts";

export function sweep(shelf: Shelf, now: number, options: SweepOptions): SweepReport {
  const { live, maxBytes, olderThan, dryRun = false } = options;
  const isLive = handleMatcher(live);
  const blobs = shelf.hashes("").flatMap((sha256) => shelf.facts(sha256) ?? []);
  const plan = planSweep(blobs, { now, isLive, maxBytes, olderThan });
  const strays = shelf.strays(now - SETTLING);
  // A blob that was put again after the plan was made has become young, and stays.
  const done = dryRun ? plan : plan.filter(({ blob }) => shelf.removeBlob(blob.sha256, blob.writtenAt));
  if (!dryRun) {
    const gone = new Set(done.map(({ blob }) => blob.sha256));
    if (gone.size > 0) shelf.removeOrigins((entry) => gone.has(entry.sha256));
    for (const stray of strays) shelf.removeStray(stray);
  }
  const freedBytes = done.reduce((sum, { blob }) => sum + blob.storedBytes, 0);
  return {
    dryRun,
    deleted: done.map(({ blob: { sha256, storedBytes, writtenAt }, reason }) => {
      return { handle: handleOf(sha256), sha256, storedBytes, writtenAt, reason };
    }),
    strays,
    freedBytes,
    remainingBytes: blobs.reduce((sum, blob) => sum + blob.storedBytes, 0) - freedBytes,
  };
}

export function forgetHandle(shelf: Shelf, now: number, handle: string): ForgetReport {
  const prefix = requireHandle(handle);
  // Origins count too: an interrupted forget may have left them without their blob.
  const recorded = shelf.origins().map((entry) => entry.sha256);
  const known = [...shelf.hashes(prefix), ...recorded.filter((sha256) => sha256.startsWith(prefix))];
  const sha256 = onlyOne(handle, [...new Set(known)]);
  if (sha256 === undefined) throw notFound(handle);
  return erase(shelf, now, { doomed: [sha256], shared: [], isDoomed: (entry) => entry.sha256 === sha256 });
}

export function forgetSession(shelf: Shelf, now: number, session: string): ForgetReport {
  const doomed: string[] = [];
  const shared: string[] = [];
  for (const [sha256, origins] of groupOrigins(shelf.origins(), "sha256")) {
    if (origins.every((entry) => entry.session === session)) doomed.push(sha256);
    else if (origins.some((entry) => entry.session === session)) shared.push(sha256);
  }
  return erase(shelf, now, { doomed, shared, isDoomed: (entry) => entry.session === session });
}

interface Erasure {
  readonly doomed: readonly string[];
  readonly shared: readonly string[];
  readonly isDoomed: (entry: OriginEntry) => boolean;
}

/** Blobs first: when this is interrupted, the origins still tell the next attempt what is left to do. */
function erase(shelf: Shelf, now: number, { doomed, shared, isDoomed }: Erasure): ForgetReport {
  const describe = (sha256: string): StoredBlob => {
    return { handle: handleOf(sha256), sha256, bytes: shelf.facts(sha256)?.bytes ?? 0 };
  };
  const kept = shared.map(describe);
  const described = doomed.map(describe);
  const deleted = described.filter((blob) => shelf.removeBlob(blob.sha256));
  const originsRemoved = shelf.removeOrigins(isDoomed);
  for (const stray of shelf.strays(now - SETTLING)) shelf.removeStray(stray);
  return { deleted, kept, originsRemoved };
}

export function verify(shelf: Shelf): VaultReport {
  const hashes = shelf.hashes("");
  const present = new Set(hashes);
  const origins = shelf.origins();
  const recorded = new Set(origins.map((entry) => entry.sha256));
  const corrupt = hashes.filter((sha256) => {
    const content = shelf.readBlob(sha256);
    return content !== undefined && (content === "damaged" || hash(content) !== sha256);
  });
  return {
    blobs: hashes.length,
    corrupt: corrupt.map((sha256) => ({ handle: handleOf(sha256), sha256, file: shelf.fileOf(sha256) })),
    missing: origins.filter((entry) => !present.has(entry.sha256)),
    orphans: hashes.filter((sha256) => !recorded.has(sha256)).map(handleOf),
    strays: shelf.strays(Number.POSITIVE_INFINITY),
  };
}
