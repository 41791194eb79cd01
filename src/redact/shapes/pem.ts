// Finds private keys in armour: whole, cut off at either end, indented, quoted, numbered, escaped into one line.
import type { Finder } from "../finder.ts";
import type { Find } from "../found.ts";

const RANK = 3;
const BEGIN =
  /-{4,5} ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-{4,5}|PuTTY-User-Key-File-\d: |(?:LS0tLS1CRUdJTi|LS0tLUJFR0lO)[\w+/=]{40,}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;

/** Longer than any key; a block without an end is not searched further than this. */
const REACH = 32_768;

// A line of a key: what a viewer put before it, then base64 or an armour header, then what an escape put after it.
const LINE =
  /^(?:[\s>|+#*/-]|\d{1,6}[\t:→ ]|\\[nrt]|["'])*(?:[\w+/=]{16,}|[\w-]{3,24}: .{0,200}|=[\w+/]{4}|-{4,5} ?END.{0,60})?[\s"',;+\\nr]*$/;

function endWithoutFooter(text: string, from: number): number {
  let end = from;
  const parts = text.slice(from, from + REACH).split(/(\n|\\n)/);
  for (const part of parts) {
    if (part !== "\n" && part !== "\\n" && !LINE.test(part)) {
      // The rest of a quoted one-line key ends where base64 ends.
      const rest = /^[\w+/=\s]{0,4096}/.exec(part)?.[0] ?? "";
      return rest.length >= 16 ? end + rest.trimEnd().length : end;
    }
    end += part.length;
  }
  return end;
}

function startWithoutHeader(text: string, to: number): number {
  let start = to;
  const lines = text.slice(Math.max(0, to - REACH), to).split("\n");
  for (const line of lines.reverse()) {
    if (start !== to && !/[\w+/=]{32,}/.test(line)) break;
    if (start === to && line.trim() !== "" && !LINE.test(line)) return to;
    if (!LINE.test(line) && start !== to) break;
    start -= line.length + 1;
  }
  return Math.max(0, start + 1);
}

function encodedKey(run: string): boolean {
  const decoded = Buffer.from(run.slice(0, 96), "base64").toString("latin1");
  return decoded.includes("PRIVATE KEY");
}

function findPrivateKeys(text: string): Find[] {
  const found: Find[] = [];
  let covered = 0;
  for (const match of text.matchAll(BEGIN)) {
    if (match.index < covered) continue;
    if (match[0].startsWith("LS0t")) {
      if (encodedKey(match[0]))
        found.push({
          kind: "private-key",
          start: match.index,
          end: match.index + match[0].length,
          rank: RANK,
        });
      continue;
    }
    const from = match.index + match[0].length;
    END.lastIndex = from;
    const footer = END.exec(text);
    const isWhole = footer !== null && footer.index - from < REACH;
    covered = isWhole ? footer.index + footer[0].length : endWithoutFooter(text, from);
    const body = text.slice(from, isWhole ? footer.index : covered);
    if (isKeyBody(body)) found.push({ kind: "private-key", start: match.index, end: covered, rank: RANK });
  }
  for (const match of text.matchAll(END)) {
    if (match.index < covered) continue;
    const start = Math.max(covered, startWithoutHeader(text, match.index));
    covered = match.index + match[0].length;
    if (isKeyBody(text.slice(start, match.index)))
      found.push({ kind: "private-key", start, end: covered, rank: RANK });
  }
  return found;
}

/** Whether there is something of a key between header and footer, and not "..." or a sentence. */
function isKeyBody(body: string): boolean {
  const longest = Math.max(0, ...(body.match(/[\w+/=]{16,}/g) ?? []).map((run) => new Set(run).size));
  return longest >= 8 && !/^\W*(?:your|insert|example|placeholder|<)/i.test(body);
}

export const privateKeyFinder: Finder = {
  landmarks: ["PRIVATE KEY", "PuTTY-User", "LS0tL"],
  scan: findPrivateKeys,
};
