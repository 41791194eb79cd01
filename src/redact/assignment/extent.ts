// How far a value reaches that begins at a given place: quoted, escaped, or bare.
import { matchAt, trimmedLength } from "../finder.ts";

const MAX_VALUE = 4_096;

interface Value {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  /** Its quotes are opened and never closed. */
  readonly isOpen?: boolean;
}

// Languages put letters or signs before the quotes of a string: b"", @"", $"", N''. A quoted string may be quoted again.
const OPENING = /(?:[@$NL]|u8|[bBcrRfFuU]{1,2})?(?:\\{0,7}["'`]{1,3})(?:\\{1,7}["'])?/y;
const BARE = /[^\s"'`<>\u0080-\uffff]{1,4096}/y;

/** The value that begins at `at`: up to its closing quote, or up to what cannot be part of a bare value. */
export function valueAt(text: string, at: number): Value | undefined {
  const opening = matchAt(OPENING, text, at)?.[0] ?? "";
  const quote = opening.replace(/^[^\\"'`]+|^["'](?=\\)/, "");
  const start = at + opening.length;
  if (quote !== "") {
    const length = text.slice(start, start + MAX_VALUE + quote.length).indexOf(quote);
    if (length >= 0 && !text.slice(start, start + length).includes("\n"))
      return { start, end: start + length, isQuoted: true };
  }
  const bare = matchAt(BARE, text, start)?.[0];
  if (bare === undefined) return undefined;
  const isQuoted = quote !== "";
  return { start, end: start + bareLength(bare), isQuoted, isOpen: isQuoted };
}

/** How much of a run without blanks is the value: not the escape, the next parameter or the closing bracket after it. */
function bareLength(run: string): number {
  const cut = /\\[nrt"'\\]|&[\w.-]{1,40}=|[;,][\w.-]{1,40}[=:]|,["'{[]|%26|\\u00/.exec(run);
  const value = cut ? run.slice(0, cut.index) : run;
  // What is shown in part is shown on purpose.
  if (/\.{3}|…/.test(value)) return 0;
  return trimmedLength(value, /[([{]/.test(value) ? ",;:.|" : ",;:.|)]}");
}
