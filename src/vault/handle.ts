// Handles: the short names by which stored bytes are called back.
import { ThroughlineError } from "../lib/index.ts";

const MARK = "tl:";
const SHOWN_DIGITS = 12;
const HANDLE = /^(?:tl:)?([0-9a-f]{6,64})$/i;

export function handleOf(sha256: string): string {
  return MARK + sha256.slice(0, SHOWN_DIGITS);
}

/** The hex digits that a handle gives of its hash, in lower case; undefined for text that is no handle. */
export function parseHandle(text: string): string | undefined {
  return HANDLE.exec(text)?.[1]?.toLowerCase();
}

/** Whether text claims to be a handle, and so cannot be a tool_use_id. */
export function isMarked(text: string): boolean {
  return text.startsWith(MARK);
}

/** The digits of a handle; a `usage` error for anything else. */
export function requireHandle(text: string): string {
  const prefix = parseHandle(text);
  if (prefix !== undefined) return prefix;
  throw new ThroughlineError("usage", `"${text}" is not a handle.`, {
    fix: `A handle is ${MARK} and 6 to 64 hex digits, as in ${MARK}0123456789ab.`,
  });
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
