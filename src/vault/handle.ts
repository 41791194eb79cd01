// Handles: the short names by which stored bytes are called back.
import { notFoundError, ThroughlineError, usageError } from "../lib/index.ts";
import type { BlobStore } from "./blobStore.ts";
import type { FoundBlob, OriginEntry, StoredBlob } from "./model.ts";

const HANDLE_MARK = "tl:";
const SHOWN_DIGITS = 12;
const HANDLE = /^(?:tl:)?([0-9a-f]{6,64})$/i;

export function handleOf(sha256: string) {
  return HANDLE_MARK + sha256.slice(0, SHOWN_DIGITS);
}

export const storedBlob = (sha256: string, bytes: number): StoredBlob => ({
  handle: handleOf(sha256),
  sha256,
  bytes,
});

/** The hex digits that a handle gives of its hash, in lower case; undefined for text that is no handle. */
export function parseHandle(text: string) {
  return HANDLE.exec(text)?.[1]?.toLowerCase();
}

/** Whether text claims to be a handle, and so cannot be a tool_use_id. */
function isMarked(text: string) {
  return text.startsWith(HANDLE_MARK);
}

/** The digits of a handle; a `usage` error for anything else. */
export function requireHandle(text: string) {
  const prefix = parseHandle(text);
  if (prefix !== undefined) return prefix;
  throw usageError(
    `"${text}" is not a handle.`,
    `A handle is ${HANDLE_MARK} and 6 to 64 hex digits, as in ${HANDLE_MARK}0123456789ab.`,
  );
}

/** Answers whether a hash is meant by any of these handles. Throws `usage` for one it cannot read. */
export function handleMatcher(handles: Iterable<string>): (sha256: string) => boolean {
  const byLength = new Map<number, Set<string>>();
  for (const handle of handles) {
    const prefix = requireHandle(handle);
    const sameLength = byLength.get(prefix.length) ?? new Set();
    byLength.set(prefix.length, sameLength.add(prefix));
  }
  return (sha256) => [...byLength].some(([length, prefixes]) => prefixes.has(sha256.slice(0, length)));
}

const CANDIDATES_SHOWN = 8;

/** The hash that a handle or a tool_use_id stands for. */
export function findHash(store: BlobStore, ref: string, session?: string) {
  const prefix = isMarked(ref) ? requireHandle(ref) : parseHandle(ref);
  const byHandle = prefix === undefined ? undefined : onlyOne(ref, store.hashes(prefix));
  if (byHandle !== undefined) return byHandle;
  const byToolUse = isMarked(ref) ? undefined : findToolUse(store, ref, session);
  if (byToolUse !== undefined) return byToolUse;
  throw blobNotFound(ref);
}

function findToolUse(store: BlobStore, id: string, session: string | undefined) {
  const among = (entries: readonly OriginEntry[]) => {
    const hashes = entries.filter((entry) => entry.toolUseId === id).map((entry) => entry.sha256);
    return onlyOne(id, [...new Set(hashes)]);
  };
  const near = session === undefined ? undefined : among(store.origins(session));
  return near ?? among(store.origins());
}

/** The only candidate, undefined when there is none; several are an error that names them. */
export function onlyOne(ref: string, hashes: readonly string[]) {
  if (hashes.length <= 1) return hashes[0];
  const shown = hashes.slice(0, CANDIDATES_SHOWN).map((hash) => `tl:${hash}`);
  const more = hashes.length > shown.length ? ` and ${hashes.length - shown.length} more` : "";
  throw new ThroughlineError(
    "ambiguous-handle",
    `"${ref}" fits ${hashes.length} stored blobs: ${shown.join(", ")}${more}.`,
    "Name one of them; any beginning that only one of them has is enough.",
  );
}

export function blobNotFound(ref: string) {
  return notFoundError(
    `Nothing is stored under "${ref}".`,
    "`throughline recall --session ID` shows what a session took out, with the handles.",
  );
}

/** What is known of a blob; undefined when it is not on the store. `origins` are those of this blob. */
export function describeBlob(
  store: BlobStore,
  sha256: string,
  origins: readonly OriginEntry[],
): FoundBlob | undefined {
  const facts = store.facts(sha256);
  if (!facts) return undefined;
  return {
    ...storedBlob(sha256, facts.bytes ?? origins[0]?.bytes ?? 0),
    writtenAt: facts.writtenAt,
    origins: origins.toSorted((a, b) => a.at - b.at),
  };
}

/** The entries of each hash or session, in their order. */
export function groupOrigins(
  entries: readonly OriginEntry[],
  by: "sha256" | "session",
): ReadonlyMap<string, readonly OriginEntry[]> {
  const groups = new Map<string, OriginEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry[by]) ?? [];
    group.push(entry);
    groups.set(entry[by], group);
  }
  return groups;
}
