// Files that come back behind a compaction: the last ones in use, as they are now, unless they are still in view.
import { fileOfCall, knownContents, outcomeOf } from "../activity/index.ts";
import { type History, textOf, toolPairs } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";
import { cutToTokens } from "./cut.ts";

interface FileRoom {
  readonly count: number;
  /** Tokens of all files, and of each. */
  readonly all: number;
  readonly each: number;
  /** Tokens are short: a file leaves half of them to the next. */
  readonly shared: boolean;
  readonly family: TokenizerFamily;
  readonly readFile?: (path: string) => string | undefined;
}

const CUT = "(cut here; read the file for the rest)";
/** A beginning shorter than this tells nothing. */
const LEAST = 60;

/** One text a file, the last used first. */
export function fileParts(history: History, kept: History, room: FileRoom): string[] {
  const { count, all, each, shared, family, readFile } = room;
  const inView = pathsInView(history, kept);
  const parts: string[] = [];
  let left = all;
  for (const [path, known] of [...knownContents(history)].reverse()) {
    const allowed = Math.min(each, shared ? left / 2 : left);
    if (parts.length >= count || allowed < LEAST) break;
    if (inView.has(path)) continue;
    const part = known.firstLine === undefined ? "" : `(from line ${known.firstLine})\n`;
    const content = readFile ? readFile(path) : part + known.text;
    if (content === undefined || content.trim() === "") continue;
    const text = cutToTokens(`<attachment: ${path}>\n${content}`, allowed, family, CUT);
    if (text === undefined) continue;
    left -= estimateText(text, family);
    parts.push(text);
  }
  return parts;
}

/** Files whose content stands in the kept messages: read or written there, not emptied since, and not edited after that. */
function pathsInView(history: History, kept: History) {
  const results = new Map(toolPairs(history).map(({ id, result }) => [id, textOf(result?.content)]));
  const paths = new Set<string>();
  for (const pair of toolPairs(kept)) {
    const call = fileOfCall(pair);
    if (!call || outcomeOf(pair) !== "ok") continue;
    if (call.action === "edited") paths.delete(call.path);
    else if (call.action === "written" || textOf(pair.result?.content) === results.get(pair.id))
      paths.add(call.path);
  }
  return paths;
}
