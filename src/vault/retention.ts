// What a sweep may delete: a decision on values, made before anything is touched.
import { MINUTE } from "../lib/index.ts";
import type { BlobFacts } from "./blobStore.ts";
import type { SweepReason } from "./model.ts";

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

interface Doomed {
  readonly blob: BlobFacts;
  readonly reason: SweepReason;
}

/** Least recently written first, a list before its parts. Without a limit in the rules everything is kept. */
export function planSweep(blobs: readonly BlobFacts[], rules: RetentionRules): readonly Doomed[] {
  const { now, isLive, maxBytes = Number.POSITIVE_INFINITY, olderThan = Number.POSITIVE_INFINITY } = rules;
  const { partsOf = () => [] } = rules;
  const referrers = new Map<string, number>();
  const count = (sha256: string, by: number): void => {
    for (const part of partsOf(sha256)) referrers.set(part, (referrers.get(part) ?? 0) + by);
  };
  for (const { sha256 } of blobs) count(sha256, 1);
  let remaining = blobs.reduce((sum, blob) => sum + blob.storedBytes, 0);
  const doomed: Doomed[] = [];
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
