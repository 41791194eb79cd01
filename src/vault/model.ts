// What the vault keeps and what it answers: the types that the disk, the memory and every caller share.

import type { GrownContent } from "./growingContent.ts";
import type { Piece } from "./pieces.ts";

/** Where stored bytes came from. Only `session` is required; the rest makes them easier to find again. */
export interface Origin {
  readonly session: string;
  /** The level of the pipeline that took the bytes out of the window. */
  readonly level?: string;
  readonly tool?: string;
  readonly toolUseId?: string;
  /** The history item, or the part of one, that held the bytes. */
  readonly item?: string;
  readonly note?: string;
}

/** An origin as it was recorded. */
export interface OriginEntry extends Origin {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly sha256: string;
  readonly bytes: number;
}

/** A stored content: its handle, hash and size. */
export interface StoredBlob {
  /** `tl:` and the first 12 hex digits of the hash: short enough to leave in a message. */
  readonly handle: string;
  readonly sha256: string;
  /** The size of the content, before compression. */
  readonly bytes: number;
}

/** A blob with its origins. */
export interface FoundBlob extends StoredBlob {
  /** The last time this content was put, in milliseconds since the epoch. */
  readonly writtenAt: number;
  /** Oldest first. Empty when a writer died between the blob and its origin. */
  readonly origins: readonly OriginEntry[];
}

/** What the vault holds of one session. */
export interface SessionSummary {
  readonly session: string;
  readonly blobs: number;
  readonly bytes: number;
  readonly lastAt: number;
}

/** What the vault holds in all. */
export interface VaultStats {
  readonly blobs: number;
  /** The size of all content, each part of it counted once, and what it takes up compressed. */
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly sessions: number;
}

/** What `verify` found. */
export interface VaultReport {
  readonly blobs: number;
  /** Blobs whose bytes no longer match their name, or of which a part is missing. */
  readonly corrupt: readonly { readonly handle: string; readonly sha256: string; readonly file: string }[];
  /** Origins whose blob is gone. */
  readonly missing: readonly OriginEntry[];
  /** Blobs that no origin and no list speaks of: readable by handle, found by nothing else. */
  readonly orphans: readonly string[];
  /** Temporary files that a killed writer left; `sweep` removes them. */
  readonly strays: readonly string[];
}

/** What `sweep` may delete. */
export interface SweepOptions {
  /** Handles or hashes that live ledgers refer to: these are never deleted. */
  readonly live: Iterable<string>;
  /** Delete the least recently written until the blobs take up no more than this on disk. */
  readonly maxBytes?: number;
  /** Delete what was last written longer ago than this many milliseconds. */
  readonly olderThan?: number;
  /** Report, delete nothing. */
  readonly dryRun?: boolean;
}

/** Why a blob was deleted. */
export type SweepReason = "older-than" | "over-quota";

/** A blob that `sweep` deleted. */
export interface SweptBlob {
  readonly handle: string;
  readonly sha256: string;
  readonly storedBytes: number;
  readonly writtenAt: number;
  readonly reason: SweepReason;
}

/** What `sweep` deleted, and what is left. */
export interface SweepReport {
  readonly dryRun: boolean;
  readonly deleted: readonly SweptBlob[];
  readonly strays: readonly string[];
  readonly freedBytes: number;
  /** More than `maxBytes` when what is live or was just written does not fit. */
  readonly remainingBytes: number;
}

/** What `forget` deleted and what it kept. */
export interface ForgetReport {
  readonly deleted: readonly StoredBlob[];
  /** Blobs of a forgotten session that stay because another session refers to them. */
  readonly kept: readonly StoredBlob[];
  readonly originsRemoved: number;
}

/** How a reference is resolved. */
export interface ResolveOptions {
  /** Where a tool_use_id is looked for first. */
  readonly session?: string;
}

/** Bytes, or text as UTF-8, and where they came from. */
export interface Deposit {
  readonly content: string | Uint8Array;
  readonly origin: Origin;
  /** The content in pieces: those that the vault has already are not stored again. */
  readonly pieces?: readonly Piece[] | undefined;
}

/**
 * Exact bytes by hash. Every method but `putAll` is synchronous, and all see what other processes wrote.
 * A `ref` is a handle (6 to 64 hex digits of the hash, with or without `tl:`) or a tool_use_id.
 */
export interface Vault {
  /** Stores bytes, or text as UTF-8. When it returns, a crash can no longer lose them. Repeating it changes nothing. */
  put(content: string | Uint8Array | GrownContent, origin: Origin, pieces?: readonly Piece[]): StoredBlob;
  /** As putting one after the other, many times faster: the disk is waited for once. `nameOf` tells their handles before. */
  putAll(deposits: readonly Deposit[]): Promise<void>;
  /** Throws `not-found` or `ambiguous-handle`. */
  resolve(ref: string, options?: ResolveOptions): FoundBlob;
  /** The exact content, checked against its hash (`vault-corrupt`). The caller owns the array. */
  read(ref: string, options?: ResolveOptions): Uint8Array;
  /** Where a content came from, oldest first. */
  origins(ref: string): readonly OriginEntry[];
  /** Most recently written first. */
  list(options?: { readonly session?: string }): readonly FoundBlob[];
  /** Most recently active first. */
  sessions(): readonly SessionSummary[];
  /** Counts and sizes of all content. */
  stats(): VaultStats;
  /** Reads every blob and follows every origin. */
  verify(): VaultReport;
  /** Deletes what is too old or over the quota, and never what is live. */
  sweep(options: SweepOptions): SweepReport;
  /** What goes when all these sessions are forgotten, parts included; of a list the size is its own. */
  onlyOf(sessions: ReadonlySet<string>): readonly StoredBlob[];
  /** Deletes one blob, or what only this session refers to. */
  forget(what: { readonly handle: string } | { readonly session: string }): ForgetReport;
}
