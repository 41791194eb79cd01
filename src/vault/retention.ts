// What a sweep may delete: a decision on values, made before anything is touched.
import { MINUTE } from "../lib/index.ts";
import type { SweepReason } from "./model.ts";
import type { BlobFacts } from "./shelf.ts";

/** Between a put and the ledger entry that makes it live there is a moment; nothing this young is deleted. */
export const SETTLING = 10 * MINUTE;

interface RetentionRules {
  readonly now: number;
  readonly isLive: (sha256: string) => boolean;
  readonly maxBytes?: number | undefined;
  readonly olderThan?: number | undefined;
}

interface Doomed {
  readonly blob: BlobFacts;
  readonly reason: SweepReason;
}

/** Least recently written first. Without a limit in the rules everything is kept. */
export function planSweep(blobs: readonly BlobFacts[], rules: RetentionRules): readonly Doomed[] {
  const { now, isLive, maxBytes = Number.POSITIVE_INFINITY, olderThan = Number.POSITIVE_INFINITY } = rules;
  let remaining = blobs.reduce((sum, blob) => sum + blob.storedBytes, 0);
  const doomed: Doomed[] = [];
  for (const blob of blobs.toSorted((a, b) => a.writtenAt - b.writtenAt)) {
    const age = now - blob.writtenAt;
    if (age < SETTLING || isLive(blob.sha256)) continue;
    if (age <= olderThan && remaining <= maxBytes) continue;
    doomed.push({ blob, reason: age > olderThan ? "older-than" : "over-quota" });
    remaining -= blob.storedBytes;
  }
  return doomed;
}
