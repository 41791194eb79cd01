// Stored text as a model may read it: quoted, on its own lines, unable to pass for anybody's words but its own.
import { findInjected } from "../redact/index.ts";

/** Characters that have no business in a line of text; what cannot be seen goes with them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const UNSEEN = /\u034f|[\u00ad\u061c\u200b\u200e\u200f\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** What ends a line for some readers and not for others. */
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** Markup that the agent, its tools or we ourselves speak in, however it is spaced. */
const SPOKEN_TAG =
  /[<＜﹤](?=[\s/|\\]{0,8}(?:system|antml|function_|tool_|tool-|local-command|command-|bash-|persisted|user-prompt|task-notification|throughline|human|assistant|developer|user|im_|endoftext|start_|end_|eot_|channel|message|instructions?))/giu;

const twins: Readonly<Record<string, string>> = {
  "<": "‹",
  "＜": "‹",
  "﹤": "‹",
  ">": "›",
  "＞": "›",
  "﹥": "›",
  "[": "⟦",
  "]": "⟧",
};

const withTwins = (text: string): string =>
  text
    .replace(/&lt;?|\\u003c|&#x?0*(?:60|3c);?/gi, "‹")
    .replace(/&gt;?|\\u003e|&#x?0*(?:62|3e);?/gi, "›")
    .replace(/[<＜﹤>＞﹥[\]]/gu, (bracket) => twins[bracket] ?? bracket);

/** Stretches of a text replaced by what `change` makes of them. */
function changed(
  text: string,
  stretches: readonly { readonly start: number; readonly end: number }[],
  change: (part: string) => string,
): string {
  let [result, at] = ["", 0];
  for (const { start, end } of stretches) {
    if (end <= at) continue;
    result += text.slice(at, Math.max(at, start)) + change(text.slice(Math.max(at, start), end));
    at = end;
  }
  return result + text.slice(at);
}

/** The text with nothing hidden in it, and with tags that cannot be taken for tags. Doing it twice changes nothing. */
export function inert(text: string): string {
  const plain = text.replace(LINE_END, "\n").replace(CONTROL, "");
  const isUnseen = findInjected(plain).filter(({ kind }) => kind === "hidden-characters" || kind === "bidi");
  const visible = changed(plain, isUnseen, () => "").replace(UNSEEN, "");
  const forged = findInjected(visible).filter(({ kind }) => kind === "forged-tag");
  return changed(visible, forged, withTwins).replace(SPOKEN_TAG, "‹");
}

/** Whether a text gives orders, or would carry secrets away: then not even its title is shown unasked. */
export function isOrder(text: string): boolean {
  return findInjected(text).some(({ kind }) => kind === "instruction" || kind === "exfiltration");
}

/** Cut to so many characters, never through one that is made of two; full-width ones count twice. */
export function cut(text: string, width: number): string {
  let [room, end] = [width, 0];
  for (const character of text) {
    room -= /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
      character,
    )
      ? 2
      : 1;
    if (room < 0) return `${text.slice(0, end).trimEnd()}…`;
    end += character.length;
  }
  return text;
}

/** A text on one line, fit to stand among our own words. `withheld` stands there for one that gives orders. */
export function lineOf(text: string, withheld: string): string {
  if (isOrder(text)) return withheld;
  return inert(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[<＜﹤>＞﹥]/gu, (bracket) => twins[bracket] ?? bracket);
}

/** A line as one cell of a table, at most so wide. */
export function cellOf(line: string, width: number): string {
  return cut(line, width).replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

/** A text of several lines, each marked as a quotation. */
export function quoted(text: string): string {
  return inert(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
