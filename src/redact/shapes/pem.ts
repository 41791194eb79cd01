// Finds private keys in armour: whole, cut off at either end, indented, quoted, numbered, escaped into one line.

import { type Find, type Finder, matchAt } from "../found.ts";

const KEY_RANK = 3;
/** Headers, footers, and keys that were encoded once more, in the order of the text. */
const MARKER =
  /-{4,5} ?(?:BEGIN|(END)) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d: |(?:LS0tLS1CRUdJTi|LS0tLUJFR0lO)[\w+/=]{40,}/g;

/** Longer than any key; a block without an end is not searched further than this. */
const KEY_REACH = 32_768;

// A line of a key: what a viewer put before it, then base64 or an armour header, then what an escape put after it.
// The three are matched one after the other, so that no line makes them try again.
const BEFORE = /(?:[\s>|+#*/]|-(?!-{3})|\d{1,6}[\t:→ ]|\\[nrt]|["']){0,200}/y;
const BODY = /[\w+/=]{16,}|[\w-]{3,24}: .{0,200}|=[\w+/]{4}|-{4,5} ?END.{0,60}/y;
const AFTER = /[\s"',;+\\nr]*/y;

function isKeyLine(line: string) {
  let at = 0;
  for (const part of [BEFORE, BODY, AFTER]) at += matchAt(part, line, at)?.[0].length ?? 0;
  return at === line.length;
}

const KEY_LINE_END = /\n|\\n/;

/** Where the lines of a key end that begin at `from`, at the latest at `limit`. */
function endWithoutFooter(text: string, from: number, limit: number) {
  let end = from;
  while (end < limit) {
    const rest = text.slice(end, limit);
    const found = KEY_LINE_END.exec(rest);
    const line = rest.slice(0, found?.index);
    if (!isKeyLine(line)) {
      // The rest of a quoted one-line key ends where base64 ends.
      const body = /^[\w+/=\s]{0,4096}/.exec(line)?.[0] ?? "";
      return body.length >= 16 ? end + body.trimEnd().length : end;
    }
    end += line.length + (found?.[0].length ?? 0);
  }
  return end;
}

/** Where the lines of a key begin that end at `to`, at the earliest at `limit`. */
function startWithoutHeader(text: string, to: number, limit: number) {
  let start = to;
  const lines = text.slice(limit, to).split("\n");
  for (const line of lines.reverse()) {
    if (start !== to && !/[\w+/=]{32,}/.test(line)) break;
    if (start === to && line.trim() !== "" && !isKeyLine(line)) return to;
    if (!isKeyLine(line) && start !== to) break;
    start -= line.length + 1;
  }
  return Math.max(0, start + 1);
}

function encodedKey(run: string) {
  const decoded = Buffer.from(run.slice(0, 96), "base64").toString("latin1");
  return decoded.includes("PRIVATE KEY");
}

/**
 * Every private key of a text. A key reaches from its header to the next footer, or as far as its lines do, and never
 * past the next header: each part of the text is read for one marker only.
 */
export function findPrivateKeys(text: string) {
  const found: Find[] = [];
  // One marker ahead: kept as a list, the matches would outweigh the text.
  const markers = text.matchAll(MARKER);
  let ahead: RegExpExecArray | undefined = markers.next().value;
  let covered = 0;
  const add = (start: number, end: number, body: string) => {
    if (isKeyBody(body)) found.push({ kind: "private-key", start, end, rank: KEY_RANK });
  };
  while (ahead) {
    const { 0: marker, 1: isFooter, index }: RegExpExecArray = ahead;
    const next: RegExpExecArray | undefined = markers.next().value;
    ahead = next;
    if (index < covered) continue;
    const behind = index + marker.length;
    if (marker.startsWith("LS0t")) {
      if (encodedKey(marker)) add(index, behind, marker);
      continue;
    }
    if (isFooter !== undefined) {
      const start = startWithoutHeader(text, index, Math.max(covered, index - KEY_REACH));
      covered = behind;
      add(start, behind, text.slice(start, index));
      continue;
    }
    const isWhole = next?.[1] !== undefined && next.index - behind < KEY_REACH;
    covered = isWhole
      ? next.index + next[0].length
      : endWithoutFooter(text, behind, Math.min(next?.index ?? text.length, behind + KEY_REACH));
    add(index, covered, text.slice(behind, isWhole ? next.index : covered));
  }
  return found;
}

/** Whether there is something of a key between header and footer, and not "..." or a sentence. */
function isKeyBody(body: string) {
  if (/^\W{0,64}(?:your|insert|example|placeholder|<)/i.test(body)) return false;
  return (body.match(/[\w+/=]{16,}/g) ?? []).some((run) => new Set(run).size >= 8);
}

export const privateKeyFinder: Finder = {
  name: "private-key",
  landmarks: "PRIVATE KEY|PuTTY-User|LS0tL",
  scan: findPrivateKeys,
};
