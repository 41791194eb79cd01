// Keeping the vault in order: sweeping by age and size, forgetting on request, checking every byte.

import { sha256 as hash, MINUTE, sumOf } from "../lib/index.ts";
import { isList } from "./blobFormat.ts";
import type { BlobFacts, BlobStore, Blobs } from "./blobStore.ts";
import { blobNotFound, handleMatcher, handleOf, onlyOne, requireHandle, storedBlob } from "./handle.ts";
import type {
  ForgetReport,
  OriginEntry,
  StoredBlob,
  SweepOptions,
  SweepReason,
  SweepReport,
  VaultReport,
} from "./model.ts";

interface References {
  /** The blobs that a list refers to; nothing for any other blob. */
  partsOf(sha256: string): readonly string[];
  /** Every list. */
  readonly lists: readonly string[];
  /** Whether any list refers to it. */
  isPart(sha256: string): boolean;
  /** These blobs and everything that they are put together from. */
  reach(from: Iterable<string>): ReadonlySet<string>;
}

export const allFacts = (store: Blobs): readonly BlobFacts[] =>
  store.hashes("").flatMap((sha256) => store.facts(sha256) ?? []);

export const storedBytesOf = (blobs: readonly BlobFacts[]) => sumOf(blobs, (blob) => blob.storedBytes);

export function referencesIn(store: Blobs): References {
  const lists = new Map<string, readonly string[]>();
  for (const sha256 of store.hashes("")) {
    if (store.facts(sha256)?.isList !== true) continue;
    const content = store.readBlob(sha256);
    if (content === undefined || content === "damaged" || !isList(content)) continue;
    const parts = content.entries.flatMap((entry) => (typeof entry === "string" ? [] : entry[0]));
    lists.set(sha256, [...new Set(parts)]);
  }
  const isPart = new Set([...lists.values()].flat());
  return {
    partsOf: (sha256) => lists.get(sha256) ?? [],
    lists: [...lists.keys()],
    isPart: (sha256) => isPart.has(sha256),
    reach(from) {
      const reached = new Set<string>();
      const left = [...from];
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        left.push(...(lists.get(next) ?? []));
      }
      return reached;
    },
  };
}

/** Between a put and the ledger entry that makes it live there is a moment; nothing this young is deleted. */
export const SETTLING = 10 * MINUTE;

interface RetentionRules {
  readonly now: number;
  readonly isLive: (sha256: string) => boolean;
  readonly maxBytes?: number | undefined;
  readonly olderThan?: number | undefined;
  /** The blobs that a list refers to: they stay as long as the list does. */
  readonly partsOf?: (sha256: string) => readonly string[];
}

/** Least recently written first, a list before its parts. Without a limit in the rules everything is kept. */
export function planSweep(blobs: readonly BlobFacts[], rules: RetentionRules) {
  const { now, isLive, maxBytes = Number.POSITIVE_INFINITY, olderThan = Number.POSITIVE_INFINITY } = rules;
  const { partsOf = () => [] } = rules;
  const referrers = new Map<string, number>();
  const count = (sha256: string, by: number) => {
    for (const part of partsOf(sha256)) referrers.set(part, (referrers.get(part) ?? 0) + by);
  };
  for (const { sha256 } of blobs) count(sha256, 1);
  let remaining = storedBytesOf(blobs);
  const doomed: { readonly blob: BlobFacts; readonly reason: SweepReason }[] = [];
  let left = blobs.toSorted((a, b) => a.writtenAt - b.writtenAt);
  for (let before = -1; before !== doomed.length; ) {
    before = doomed.length;
    // Again as long as something went: what it referred to may be free now.
    left = left.filter((blob) => {
      const age = now - blob.writtenAt;
      if (age < SETTLING || isLive(blob.sha256) || (referrers.get(blob.sha256) ?? 0) > 0) return true;
      if (age <= olderThan && remaining <= maxBytes) return true;
      doomed.push({ blob, reason: age > olderThan ? "older-than" : "over-quota" });
      remaining -= blob.storedBytes;
      count(blob.sha256, -1);
      return false;
    });
  }
  return doomed;
}

export function sweep(store: BlobStore, now: number, options: SweepOptions): SweepReport {
  const { live, maxBytes, olderThan, dryRun = false } = options;
  const isNamed = handleMatcher(live);
  const blobs = allFacts(store);
  const { reach, partsOf } = referencesIn(store);
  const named = reach(blobs.map(({ sha256 }) => sha256).filter(isNamed));
  const plan = planSweep(blobs, { now, isLive: (one) => named.has(one), maxBytes, olderThan, partsOf });
  const strays = store.strays(now - SETTLING);
  // A blob that was put again after the plan was made has become young, and stays.
  const done = dryRun ? plan : plan.filter(({ blob }) => store.removeBlob(blob.sha256, blob.writtenAt));
  if (!dryRun) {
    const gone = new Set(done.map(({ blob }) => blob.sha256));
    if (gone.size > 0) store.removeOrigins((entry) => gone.has(entry.sha256));
    for (const stray of strays) store.removeStray(stray);
  }
  const freedBytes = storedBytesOf(done.map(({ blob }) => blob));
  return {
    dryRun,
    deleted: done.map(({ blob: { sha256, storedBytes, writtenAt }, reason }) => {
      return { handle: handleOf(sha256), sha256, storedBytes, writtenAt, reason };
    }),
    strays,
    freedBytes,
    remainingBytes: storedBytesOf(blobs) - freedBytes,
  };
}

export function forgetHandle(store: BlobStore, now: number, handle: string): ForgetReport {
  const prefix = requireHandle(handle);
  // Origins count too: an interrupted forget may have left them without their blob.
  const recorded = store.origins().map((entry) => entry.sha256);
  const known = [...store.hashes(prefix), ...recorded.filter((sha256) => sha256.startsWith(prefix))];
  const sha256 = onlyOne(handle, [...new Set(known)]);
  if (sha256 === undefined) throw blobNotFound(handle);
  const references = referencesIn(store);
  const others = references.reach(recorded.filter((one) => one !== sha256));
  const doomed = withoutOthers(references, [sha256], others);
  return erase(store, now, [...new Set([sha256, ...doomed])], (entry) => entry.sha256 === sha256);
}

export function forgetSession(store: BlobStore, now: number, session: string): ForgetReport {
  const { doomed, shared } = belongings(store, new Set([session]));
  return erase(store, now, doomed, (entry) => entry.session === session, shared);
}

export function onlyOf(store: BlobStore, sessions: ReadonlySet<string>): readonly StoredBlob[] {
  return belongings(store, sessions).doomed.flatMap((sha256) => {
    const facts = store.facts(sha256);
    if (!facts) return [];
    return [storedBlob(sha256, facts.isList ? facts.storedBytes : (facts.bytes ?? 0))];
  });
}

/** What only these sessions refer to, themselves or by a list, and what others refer to as well. */
function belongings(store: BlobStore, sessions: ReadonlySet<string>) {
  const references = referencesIn(store);
  const [own, others]: [string[], string[]] = [[], []];
  for (const { sha256, session } of store.origins()) (sessions.has(session) ? own : others).push(sha256);
  const live = references.reach(others);
  const doomed = withoutOthers(references, own, live);
  return { doomed: [...doomed], shared: [...new Set(own)].filter((sha256) => live.has(sha256)) };
}

/**
 * These blobs and their parts, but for what is live. A list that nothing refers to was left by a writer that was killed: it
 * keeps nothing alive, and goes with the parts that it shares.
 */
function withoutOthers({ reach, lists }: References, roots: readonly string[], live: ReadonlySet<string>) {
  const doomed = new Set([...reach(roots)].filter((sha256) => !live.has(sha256)));
  for (const list of lists) {
    if (live.has(list) || doomed.has(list)) continue;
    const reached = [...reach([list])];
    if (reached.some((sha256) => doomed.has(sha256)))
      for (const sha256 of reached) if (!live.has(sha256)) doomed.add(sha256);
  }
  return doomed;
}

/** Blobs first: when this is interrupted, the origins still tell the next attempt what is left to do. */
function erase(
  store: BlobStore,
  now: number,
  doomed: readonly string[],
  isDoomed: (entry: OriginEntry) => boolean,
  shared: readonly string[] = [],
): ForgetReport {
  const describe = (sha256: string) => storedBlob(sha256, store.facts(sha256)?.bytes ?? 0);
  const kept = shared.map(describe);
  const deleted = doomed.map(describe).filter((blob) => store.removeBlob(blob.sha256));
  const originsRemoved = store.removeOrigins(isDoomed);
  for (const stray of store.strays(now - SETTLING)) store.removeStray(stray);
  return { deleted, kept, originsRemoved };
}

export function verify(store: BlobStore): VaultReport {
  const hashes = store.hashes("");
  const present = new Set(hashes);
  const origins = store.origins();
  const { reach, partsOf } = referencesIn(store);
  const recorded = reach(origins.map((entry) => entry.sha256));
  const isDamaged = (sha256: string) => {
    const content = store.readBlob(sha256);
    if (content === undefined) return false;
    if (content === "damaged") return true;
    // A list without an origin was left by a killed writer; no handle of it was given out.
    if (isList(content)) return recorded.has(sha256) && !partsOf(sha256).every((part) => present.has(part));
    return hash(content) !== sha256;
  };
  return {
    blobs: hashes.length,
    corrupt: hashes
      .filter(isDamaged)
      .map((sha256) => ({ handle: handleOf(sha256), sha256, file: store.fileOf(sha256) })),
    missing: origins.filter((entry) => !present.has(entry.sha256)),
    orphans: hashes.filter((sha256) => !recorded.has(sha256)).map(handleOf),
    strays: store.strays(Number.POSITIVE_INFINITY),
  };
}
