// The vault: keeps exact bytes that left the model's window, and gives them back. Where they lie is the store's concern.
import {
  type Clock,
  errorText,
  sha256 as hash,
  present,
  sumOf,
  systemClock,
  ThroughlineError,
} from "../lib/index.ts";
import { wholeContent } from "./blobFormat.ts";
import { type BlobStore, memoryBlobStore, type NewBlob } from "./blobStore.ts";
import { diskBlobStore } from "./diskBlobStore.ts";
import { type GrownContent, isGrown } from "./growingContent.ts";
import { blobNotFound, describeBlob, findHash, groupOrigins, handleOf, storedBlob } from "./handle.ts";
import type {
  Deposit,
  FoundBlob,
  Origin,
  OriginEntry,
  SessionSummary,
  StoredBlob,
  Vault,
  VaultStats,
} from "./model.ts";
import { originEntry } from "./originFile.ts";
import { divideContent } from "./pieces.ts";
import { encodeText } from "./text.ts";
import {
  allFacts,
  forgetHandle,
  forgetSession,
  onlyOf,
  referencesIn,
  storedBytesOf,
  sweep,
  verify,
} from "./upkeep.ts";

/** Options of `openVault`. */
export interface VaultOptions {
  readonly clock?: Clock;
}

/** A vault in a folder, which is created by the first put. Several processes may use it at once. */
export function openVault(folder: string, { clock = systemClock }: VaultOptions = {}): Vault {
  return vaultOn(diskBlobStore(folder), clock);
}

/** A vault that is gone when the process ends. */
export function memoryVault({ clock = systemClock }: VaultOptions = {}): Vault {
  return vaultOn(memoryBlobStore(), clock);
}

function vaultOn(store: BlobStore, clock: Clock): Vault {
  const resolve: Vault["resolve"] = (ref, options = {}) => {
    const sha256 = findHash(store, ref, options.session);
    const origins = store.origins().filter((entry) => entry.sha256 === sha256);
    const found = describeBlob(store, sha256, origins);
    if (!found) throw blobNotFound(ref);
    return found;
  };
  return {
    put: withExplainedErrors((content, origin, pieces) =>
      isGrown(content)
        ? putGrown(store, clock.now(), content, origin)
        : putOne(store, clock.now(), { content, origin, pieces }),
    ),
    putAll: (deposits) => putAll(store, clock.now(), deposits).catch(rethrowExplained),
    resolve: withExplainedErrors(resolve),
    read: withExplainedErrors((ref, options = {}) =>
      readChecked(store, ref, findHash(store, ref, options.session)),
    ),
    origins: withExplainedErrors((ref) => resolve(ref).origins),
    list: withExplainedErrors((options = {}) => listBlobs(store, options.session)),
    sessions: withExplainedErrors(() => summarizeSessions(store.origins())),
    stats: withExplainedErrors(() => vaultStats(store)),
    verify: withExplainedErrors(() => verify(store)),
    sweep: withExplainedErrors((options) => sweep(store, clock.now(), options)),
    onlyOf: withExplainedErrors((sessions) => onlyOf(store, sessions)),
    forget: withExplainedErrors((what) =>
      "handle" in what
        ? forgetHandle(store, clock.now(), what.handle)
        : forgetSession(store, clock.now(), what.session),
    ),
  };
}

/** The name that content has or would have in any vault; nothing is stored. */
export function nameOf(content: string | Uint8Array): StoredBlob {
  const bytes = contentBytes(content);
  return storedBlob(hash(bytes), bytes.length);
}

const contentBytes = (content: string | Uint8Array) =>
  typeof content === "string" ? encodeText(content) : content;

/** The origin to record, and the blobs to write: the content, and the parts that it is put together from. */
function prepareDeposit(store: BlobStore, now: number, { content, origin, pieces }: Deposit) {
  const bytes = contentBytes(content);
  const sha256 = hash(bytes);
  // Content that is there as a whole needs no parts.
  const isWhole = pieces === undefined || store.facts(sha256)?.isList === false;
  return {
    entry: originEntry({ sha256, bytes: bytes.length }, origin, now),
    blobs: isWhole ? [{ sha256, content: bytes }] : divideContent(bytes, sha256, pieces),
  };
}

const PUT_ATTEMPTS = 3;

function putOne(store: BlobStore, now: number, deposit: Deposit) {
  const { entry, blobs } = prepareDeposit(store, now, deposit);
  for (let attempt = 1; ; attempt++) {
    // In this order: a crash in between leaves blobs without an origin, never an origin that promises too much.
    store.writeNow(blobs, now);
    store.addOrigins([entry]);
    // Until now no origin referred to the parts: a `forget` at the same time may have deleted one.
    if (blobs.length === 1 || blobs.every(({ sha256 }) => store.facts(sha256) !== undefined)) break;
    if (attempt === PUT_ATTEMPTS) throw new Error("the vault is deleted from while it is written to");
  }
  return storedBlob(entry.sha256, entry.bytes);
}

/** Only what was added since the last time is written; all of it where the store does not hold the rest any more. */
function putGrown(store: BlobStore, now: number, content: GrownContent, origin: Origin): StoredBlob {
  const { sha256, bytes, handle } = content;
  for (let attempt = 1; ; attempt++) {
    const { blobs, base } = content.depositIn(store);
    store.writeNow(blobs, now);
    store.addOrigins([originEntry({ sha256, bytes }, origin, now)]);
    // As with one: what was written, or the content it goes on from, may have been forgotten before the origin was recorded.
    const needed = present([...blobs.map((blob) => blob.sha256), base]);
    if (needed.length === 1 || needed.every((name) => store.facts(name) !== undefined)) break;
    if (attempt === PUT_ATTEMPTS) throw new Error("the vault is deleted from while it is written to");
  }
  content.storedIn(store);
  return { sha256, bytes, handle };
}

async function putAll(store: BlobStore, now: number, deposits: readonly Deposit[]) {
  const blobs = new Map<string, NewBlob>();
  const entries = deposits.map((deposit) => {
    const { entry, blobs: own } = prepareDeposit(store, now, deposit);
    for (const blob of own) blobs.set(blob.sha256, blob);
    return entry;
  });
  // In this order, as with one.
  await store.writeBlobs([...blobs.values()], now);
  store.addOrigins(entries);
}

function readChecked(store: BlobStore, ref: string, sha256: string) {
  const content = wholeContent(store, sha256);
  if (content === undefined) throw blobNotFound(ref);
  if (content !== "damaged" && hash(content) === sha256) return content;
  const file = store.fileOf(sha256);
  throw new ThroughlineError(
    "vault-corrupt",
    `The stored bytes of ${handleOf(sha256)} are damaged (${file}).`,
    "Restore that file from a backup; storing the same content again repairs it too.",
  );
}

function listBlobs(store: BlobStore, session: string | undefined): readonly FoundBlob[] {
  const byHash = groupOrigins(store.origins(), "sha256");
  // Reversed, so that of what was put in the same millisecond the later comes first too.
  const hashes =
    session === undefined
      ? hashesOfContents(store, byHash)
      : groupOrigins(store.origins(session).toReversed(), "sha256").keys();
  return [...hashes]
    .flatMap((sha256) => describeBlob(store, sha256, byHash.get(sha256) ?? []) ?? [])
    .sort((a, b) => b.writtenAt - a.writtenAt);
}

/** Of all blobs those that something was stored as; what is only a part of them is left out. */
function hashesOfContents(store: BlobStore, recorded: ReadonlyMap<string, unknown>) {
  const { isPart } = referencesIn(store);
  return store.hashes("").filter((sha256) => recorded.has(sha256) || !isPart(sha256));
}

function summarizeSessions(entries: readonly OriginEntry[]): readonly SessionSummary[] {
  const summaries = [...groupOrigins(entries, "session")].map(([session, own]) => {
    const sizes = new Map(own.map((entry) => [entry.sha256, entry.bytes]));
    const bytes = sumOf([...sizes.values()], (size) => size);
    const lastAt = own.reduce((latest, entry) => Math.max(latest, entry.at), 0);
    return { session, blobs: sizes.size, bytes, lastAt };
  });
  return summaries.sort((a, b) => b.lastAt - a.lastAt);
}

function vaultStats(store: BlobStore): VaultStats {
  const facts = allFacts(store);
  return {
    blobs: facts.length,
    // What a list is put together from is counted as its parts.
    rawBytes: sumOf(facts, (blob) => (blob.isList ? blob.storedBytes : (blob.bytes ?? 0))),
    storedBytes: storedBytesOf(facts),
    sessions: new Set(store.origins().map((entry) => entry.session)).size,
  };
}

/** Turns a refusal of the operating system into an error that people can act on. */
function withExplainedErrors<Args extends unknown[], Result>(
  method: (...args: Args) => Result,
): typeof method {
  return (...args) => {
    try {
      return method(...args);
    } catch (error) {
      return rethrowExplained(error);
    }
  };
}

function rethrowExplained(error: unknown): never {
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  throw new ThroughlineError("io-failed", `The vault could not be used: ${errorText(error)}.`, {
    fix: "Check that its folder is a folder of yours, and that the disk is not full.",
    cause: error,
  });
}
