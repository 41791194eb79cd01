// Where the values under a name begin and end: quoted, escaped, bare, made by a call, or several in a list.

import { matchAt, type Range, trimmedLength } from "../found.ts";

const MAX_VALUE = 4_096;

interface Value extends Range {
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
function bareLength(run: string) {
  const cut = /\\[nrt"'\\]|&[\w.-]{1,40}=|[;,][\w.-]{1,40}[=:]|,["'{[]|%26|\\u00/.exec(run);
  const value = cut ? run.slice(0, cut.index) : run;
  // What is shown in part is shown on purpose.
  if (/\.{3}|…/.test(value)) return 0;
  return trimmedLength(value, /[([{]/.test(value) ? ",;:.|" : ",;:.|)]}");
}

/** A call that makes a value out of a literal: String::from("…"), []byte("…"), Buffer.from("…"). */
const MAKER = /(?:new\s{1,2})?(?:\[\]byte|[A-Za-z_][\w.:<>]{0,40})\(\s{0,4}(?=[bN@L]?\\{0,3}["'`])/y;
/** A call that fetches it: the literal is a name. */
const GETTER =
  /get|env|fetch|read|load|conf|param|lookup|resolve|find|require|import|prompt|input|ask|transl|\bt\(|i18n|vault|ssm|manager|hash|sign|verif|compare|match|test|expect|query|select|arg|opt|flag|header|cookie|req|field|col|prop|attr|key|name|label|has|is[A-Z]|check|valid|use[A-Z]|select|inject|error|log|print|format|symbol|code/i;

/** How much of a call stands before a literal that is the value; 0 where none does. */
export function makerAt(text: string, at: number) {
  const maker = matchAt(MAKER, text, at)?.[0] ?? "";
  return GETTER.test(maker) ? 0 : maker.length;
}

// name = ["a", "b"], "name": [..], name := []string{..}, name = List.of(..), String[] name = {..}
const LIST_OPENING =
  /\\{0,3}["'`]?(?:\[\])?\s{0,8}(?:[:=]{1,2}|=>|:\s{0,2}[\w<>[\]]{1,30}\s{0,2}=)\s{0,8}(?:(?:new\s\w{1,20}|\w{0,10})\[\]\w{0,10}\s?\{|(?:(?:List|Set|Arrays|Array)\.\w{1,8}|listOf|setOf|arrayOf|mutableListOf|array|list|set|tuple|frozenset|vec!|Array)?\s?[[(]|\{)\s{0,40}(?=\\{0,3}["'`][^"'`\n]{0,200}\\{0,3}["'`]\s{0,40}[\],;)}])/y;
const QUOTED = /\\{0,3}(["'`])([^"'`\n\\]{0,200})\\{0,3}\1\s{0,40}(,\s{0,40})?/y;
const DASHES = /["']?\s{0,4}:[ \t]{0,4}\r?\n(?=[ \t]{0,40}-[ \t])/y;
const DASHED = /[ \t]{0,40}-[ \t]{1,4}["']?([^\s"'#]{1,200})["']?[ \t]{0,8}(?:#[^\n]{0,80})?(?:\r?\n|$)/y;

// NAME=a,b and NAME="a,b", as variables of the environment hold several values. An item with a name of its own ends the list.
const COMMAS =
  /[ \t]{0,2}[=:][ \t]{0,2}["']?(?=[^\s,;=:"'`()[\]{}]{8,200}={0,2},[^\s,;=:"'`()[\]{}]{8,200})/y;
const PARTED = /([^\s,;=:"'`()[\]{}]{1,200}={0,2})(?:,|(?![^\s;"'`()[\]{}]))/y;

/** The items of a list that begins right after a name; empty where none does. */
export function itemsAfter(text: string, nameEnd: number) {
  const opening =
    matchAt(LIST_OPENING, text, nameEnd) ?? matchAt(DASHES, text, nameEnd) ?? matchAt(COMMAS, text, nameEnd);
  if (!opening) return [];
  const isParted = /[=:][ \t]{0,2}["']?$/.test(opening[0]);
  const pattern = isParted ? PARTED : /\n$/.test(opening[0]) ? DASHED : QUOTED;
  const group = pattern === QUOTED ? 2 : 1;
  const items: Range[] = [];
  for (let at = nameEnd + opening[0].length; ; ) {
    const item = matchAt(pattern, text, at);
    const value = item?.[group];
    if (!item || value === undefined) return items;
    const start = at + item[0].indexOf(value, pattern === DASHED ? item[0].search(/[^\s-]/) : 0);
    items.push({ start, end: start + value.length });
    at += item[0].length;
    if (group === 2 && item[3] === undefined) return items;
  }
}
