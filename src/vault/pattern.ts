// Searches text line by line with a pattern from the user, which may be invalid or backtrack without end.
import { createContext, Script } from "node:vm";
import { errorText, isObject, sumOf, usageError } from "../lib/index.ts";

/** Far more than an ordinary pattern needs for this much text, and no more than a person waits. */
const BASE_TIME = 1_000;
const CHARACTERS_PER_MILLISECOND = 10_000;

export interface PatternHit {
  /** 1-based. */
  readonly line: number;
  /** Where in the line the match begins. */
  readonly column: number;
}

/** Throws `usage` for text that is no regular expression. */
export function compilePattern(pattern: string | RegExp) {
  // `g` and `y` would make the answer for one line depend on the line before.
  if (pattern instanceof RegExp) return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw usageError(`The pattern cannot be used: ${errorText(error)}.`, {
      fix: "Put a backslash before characters that are meant literally: . * + ? ( ) [ ] { } | ^ $ \\",
      cause: error,
    });
  }
}

/** The lines that match, at most `limit` of them. Throws `usage` when the pattern would take too long. */
export function findMatchingLines(
  lines: readonly string[],
  pattern: RegExp,
  limit: number,
): { hits: readonly PatternHit[]; more: boolean } {
  const hits: PatternHit[] = [];
  let more = false;
  const size = sumOf(lines, (line) => line.length);
  withinTime(BASE_TIME + size / CHARACTERS_PER_MILLISECOND, () => {
    for (const [index, line] of lines.entries()) {
      const match = pattern.exec(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (match === null) continue;
      more = hits.length >= limit;
      if (more) return;
      hits.push({ line: index + 1, column: match.index });
    }
  });
  return { hits, more };
}

const stopwatch: { context?: { search?: () => void }; script?: Script } = {};

/**
 * Backtracking can take exponential time on a line of forty characters, so no cap on lengths bounds it.
 * The engine can be interrupted in the middle of a match, but only code that runs through `node:vm` is.
 */
function withinTime(milliseconds: number, search: () => void) {
  stopwatch.context ??= createContext({});
  stopwatch.script ??= new Script("search()");
  stopwatch.context.search = search;
  try {
    stopwatch.script.runInContext(stopwatch.context, { timeout: Math.ceil(milliseconds) });
  } catch (error) {
    // It comes from the other context, whose Error is not this one's: `instanceof` would not know it.
    if (!isObject(error) || error.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw usageError(
      "The pattern takes too long: it was stopped.",
      "Avoid repetitions inside repetitions, as in (a+)+, or search for a plain word.",
    );
  } finally {
    delete stopwatch.context.search;
  }
}
