// The scan with Throughline's own rules, which need no package: everything that looks like a secret in a text.
import { findAssignments } from "./assignment/find.ts";
import { type Find, type Found, hideFinds, mergeFinds } from "./found.ts";
import { privateStretches } from "./privateTags.ts";
import { findAddresses } from "./shapes/addresses.ts";
import { findCards } from "./shapes/cards.ts";
import { findCommandPasswords } from "./shapes/commands.ts";
import { findInFiles } from "./shapes/files.ts";
import { findHashes } from "./shapes/hashes.ts";
import { findHeaders } from "./shapes/headers.ts";
import { findPrivateKeys } from "./shapes/pem.ts";
import { findTokens } from "./tokens/find.ts";

/** Nothing shorter can hold a secret that a rule would recognise. */
const SHORTEST = 8;

export interface Redaction {
  readonly text: string;
  /** What was found, in order, as offsets into the text that was given. */
  readonly found: readonly Found[];
}

export type Scanner = (text: string) => Find[];

const scanners: readonly Scanner[] = [
  (text) => privateStretches(text).map((stretch) => ({ kind: "private", ...stretch, rank: 9 })),
  findPrivateKeys,
  findTokens,
  findAddresses,
  findHeaders,
  findInFiles,
  findHashes,
  findCommandPasswords,
  findCards,
  findAssignments,
];

export function scanWith(extra: readonly Scanner[], text: string): Redaction {
  if (text.length < SHORTEST) return { text, found: [] };
  const finds = [...scanners, ...extra].flatMap((scanner) => scanner(text));
  if (finds.length === 0) return { text, found: [] };
  return { text: hideFinds(text, finds), found: mergeFinds(finds) };
}

/** Hides private text and secrets with the rules of this room alone. */
export const redactWithRules = (text: string): Redaction => scanWith([], text);
