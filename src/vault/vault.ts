// The vault: keeps exact bytes that left the model's window, and gives them back. Where they lie is the shelf's concern.
import { type Clock, errorText, sha256 as hash, systemClock, ThroughlineError } from "../lib/index.ts";
import { diskShelf } from "./diskShelf.ts";
import { describeBlob, findHash, groupOrigins, notFound } from "./find.ts";
import { handleOf } from "./handle.ts";
import { memoryShelf } from "./memoryShelf.ts";
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
import { originEntry } from "./originLine.ts";
import type { Shelf } from "./shelf.ts";
import { encodeText } from "./text.ts";
import { forgetHandle, forgetSession, sweep, verify } from "./upkeep.ts";

export interface VaultOptions {
  readonly clock?: Clock;
}

/** A vault in a folder, which is created by the first put. Several processes may use it at once. */
export function openVault(folder: string, options: VaultOptions = {}): Vault {
  return vaultOn(diskShelf(folder), options.clock ?? systemClock);
}

/** A vault that is gone when the process ends. */
export function memoryVault(options: VaultOptions = {}): Vault {
  return vaultOn(memoryShelf(), options.clock ?? systemClock);
}

function vaultOn(shelf: Shelf, clock: Clock): Vault {
  const resolve: Vault["resolve"] = (ref, options = {}) => {
    const sha256 = findHash(shelf, ref, options.session);
    const origins = shelf.origins().filter((entry) => entry.sha256 === sha256);
    const found = describeBlob(shelf, sha256, origins);
    if (found === undefined) throw notFound(ref);
    return found;
  };
  return {
    put: explained((content, origin) => put(shelf, clock.now(), content, origin)),
    putAll: (deposits) => putAll(shelf, clock.now(), deposits).catch(explain),
    resolve: explained(resolve),
    read: explained((ref, options = {}) => readChecked(shelf, ref, findHash(shelf, ref, options.session))),
    origins: explained((ref) => resolve(ref).origins),
    list: explained((options = {}) => list(shelf, options.session)),
    sessions: explained(() => summarise(shelf.origins())),
    stats: explained(() => stats(shelf)),
    verify: explained(() => verify(shelf)),
    sweep: explained((options) => sweep(shelf, clock.now(), options)),
    forget: explained((what) =>
      "handle" in what
        ? forgetHandle(shelf, clock.now(), what.handle)
        : forgetSession(shelf, clock.now(), what.session),
    ),
  };
}

/** The name that content has or would have in any vault; nothing is stored. */
export function nameOf(content: string | Uint8Array): StoredBlob {
  const bytes = typeof content === "string" ? encodeText(content) : content;
  const sha256 = hash(bytes);
  return { handle: handleOf(sha256), sha256, bytes: bytes.length };
}

function put(shelf: Shelf, now: number, content: string | Uint8Array, origin: Origin): StoredBlob {
  const bytes = typeof content === "string" ? encodeText(content) : content;
  const blob = { sha256: hash(bytes), bytes: bytes.length };
  // In this order: a crash in between leaves a blob without an origin, never an origin that promises too much.
  shelf.writeBlob(blob.sha256, bytes, now);
  shelf.addOrigins([originEntry(blob, origin, now)]);
  return { handle: handleOf(blob.sha256), ...blob };
}

async function putAll(shelf: Shelf, now: number, deposits: readonly Deposit[]): Promise<void> {
  const blobs = new Map<string, Uint8Array>();
  const origins = deposits.map(({ content, origin }) => {
    const bytes = typeof content === "string" ? encodeText(content) : content;
    const blob = { sha256: hash(bytes), bytes: bytes.length };
    blobs.set(blob.sha256, bytes);
    return originEntry(blob, origin, now);
  });
  // In this order, as with one.
  await shelf.writeBlobs(
    [...blobs].map(([sha256, content]) => ({ sha256, content })),
    now,
  );
  shelf.addOrigins(origins);
}

function readChecked(shelf: Shelf, ref: string, sha256: string): Uint8Array {
  const content = shelf.readBlob(sha256);
  if (content === undefined) throw notFound(ref);
  if (content !== "damaged" && hash(content) === sha256) return content;
  const file = shelf.fileOf(sha256);
  throw new ThroughlineError(
    "vault-corrupt",
    `The stored bytes of ${handleOf(sha256)} are damaged (${file}).`,
    {
      fix: "Restore that file from a backup; storing the same content again repairs it too.",
    },
  );
}

function list(shelf: Shelf, session: string | undefined): readonly FoundBlob[] {
  const byHash = groupOrigins(shelf.origins(), "sha256");
  // Reversed, so that of what was put in the same millisecond the later comes first too.
  const hashes =
    session === undefined
      ? shelf.hashes("")
      : groupOrigins(shelf.origins(session).toReversed(), "sha256").keys();
  return [...hashes]
    .flatMap((sha256) => describeBlob(shelf, sha256, byHash.get(sha256) ?? []) ?? [])
    .sort((a, b) => b.writtenAt - a.writtenAt);
}

function summarise(entries: readonly OriginEntry[]): readonly SessionSummary[] {
  const summaries = [...groupOrigins(entries, "session")].map(([session, own]) => {
    const sizes = new Map(own.map((entry) => [entry.sha256, entry.bytes]));
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const lastAt = own.reduce((latest, entry) => Math.max(latest, entry.at), 0);
    return { session, blobs: sizes.size, bytes, lastAt };
  });
  return summaries.sort((a, b) => b.lastAt - a.lastAt);
}

function stats(shelf: Shelf): VaultStats {
  const facts = shelf.hashes("").flatMap((sha256) => shelf.facts(sha256) ?? []);
  return {
    blobs: facts.length,
    rawBytes: facts.reduce((sum, blob) => sum + (blob.bytes ?? 0), 0),
    storedBytes: facts.reduce((sum, blob) => sum + blob.storedBytes, 0),
    sessions: new Set(shelf.origins().map((entry) => entry.session)).size,
  };
}

/** Turns a refusal of the operating system into an error that people can act on. */
function explained<Args extends unknown[], Result>(method: (...args: Args) => Result): typeof method {
  return (...args) => {
    try {
      return method(...args);
    } catch (error) {
      return explain(error);
    }
  };
}

function explain(error: unknown): never {
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  throw new ThroughlineError("io-failed", `The vault could not be used: ${errorText(error)}.`, {
    fix: "Check that its folder is a folder of yours, and that the disk is not full.",
    cause: error,
  });
}
