// A pattern over everything that one session took out of the window.
import { ThroughlineError } from "../lib/index.ts";
import type { OriginEntry, Vault } from "./model.ts";
import { compilePattern } from "./pattern.ts";
import { checkCounts, DEFAULT_MATCHES, type Match, matchesIn } from "./recall.ts";
import { decodeText } from "./text.ts";

export interface SessionSearch {
  readonly pattern: string | RegExp;
  readonly context?: number;
  readonly maxMatches?: number;
}

export interface SessionMatch extends Match {
  readonly handle: string;
  /** The latest reason for which the session stored the blob. */
  readonly origin: OriginEntry;
}

export interface SessionRecall {
  readonly matches: readonly SessionMatch[];
  /** How many blobs were searched before the search was over. */
  readonly searched: number;
  /** Blobs of the session that are missing or damaged. */
  readonly unreadable: readonly string[];
  readonly truncated: boolean;
}

/** Newest first. A blob that cannot be read is reported and does not end the search. */
export function recallSession(vault: Vault, session: string, search: SessionSearch): SessionRecall {
  const { context = 0, maxMatches = DEFAULT_MATCHES } = search;
  checkCounts({ context, maxMatches });
  const pattern = compilePattern(search.pattern);
  const matches: SessionMatch[] = [];
  const unreadable: string[] = [];
  let searched = 0;
  for (const { handle, sha256, origin } of newestFirst(vault, session)) {
    const content = readIfIntact(vault, sha256);
    if (content === undefined) {
      unreadable.push(handle);
      continue;
    }
    searched += 1;
    const found = matchesIn(decodeText(content), pattern, {
      context,
      maxMatches: maxMatches - matches.length,
    });
    for (const match of found.matches) matches.push({ handle, origin, ...match });
    if (found.more) return { matches, searched, unreadable, truncated: true };
  }
  return { matches, searched, unreadable, truncated: false };
}

function newestFirst(vault: Vault, session: string) {
  const blobs = vault.list({ session }).flatMap(({ handle, sha256, origins }) => {
    const origin = origins.findLast((entry) => entry.session === session);
    return origin === undefined ? [] : [{ handle, sha256, origin }];
  });
  return blobs.sort((a, b) => b.origin.at - a.origin.at);
}

function readIfIntact(vault: Vault, sha256: string) {
  try {
    return vault.read(sha256);
  } catch (error) {
    const lost = error instanceof ThroughlineError && ["vault-corrupt", "not-found"].includes(error.code);
    if (lost) return undefined;
    throw error;
  }
}
