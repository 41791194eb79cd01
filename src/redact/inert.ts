// Stored text as a model may read it: nothing hidden in it, no tag that could be taken for one, each line marked as quoted.
import { findInjected } from "./injected.ts";

/** Characters that have no business in a line of text; what cannot be seen goes with them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const UNSEEN = /\u034f|[\u00ad\u061c\u200b\u200e\u200f\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** What ends a line for some readers and not for others. */
const FOREIGN_LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** Markup that the agent, its tools or we ourselves speak in, however it is spaced. */
const SPOKEN_TAG =
  /[<＜﹤](?=[\s/|\\]{0,8}(?:system|antml|function_|invoke|parameter|tool_|tool-|local-command|command-|bash-|persisted|user-prompt|task-notification|throughline|human|assistant|developer|user|im_|endoftext|start_|end_|eot_|channel|message|instructions?))/giu;

/** Brackets that look like the ones of markup and are none. */
export const lookalikeBrackets: Readonly<Record<string, string>> = {
  "<": "‹",
  "＜": "‹",
  "﹤": "‹",
  ">": "›",
  "＞": "›",
  "﹥": "›",
  "[": "⟦",
  "]": "⟧",
};

const withLookalikes = (text: string) =>
  text
    .replace(/&lt;?|\\u003c|&#x?0*(?:60|3c);?/gi, "‹")
    .replace(/&gt;?|\\u003e|&#x?0*(?:62|3e);?/gi, "›")
    .replace(/[<＜﹤>＞﹥[\]]/gu, (bracket) => lookalikeBrackets[bracket] ?? bracket);

/** Stretches of a text replaced by what `change` makes of them. */
function withReplaced(
  text: string,
  stretches: readonly { readonly start: number; readonly end: number }[],
  change: (part: string) => string,
) {
  let [result, at] = ["", 0];
  for (const { start, end } of stretches) {
    if (end <= at) continue;
    result += text.slice(at, Math.max(at, start)) + change(text.slice(Math.max(at, start), end));
    at = end;
  }
  return result + text.slice(at);
}

/** The text with nothing hidden in it, and with tags that cannot be taken for tags. Doing it twice changes nothing. */
export function inert(text: string) {
  const plain = text.replace(FOREIGN_LINE_END, "\n").replace(CONTROL, "");
  const isUnseen = findInjected(plain).filter(({ kind }) => kind === "hidden-characters" || kind === "bidi");
  const visible = withReplaced(plain, isUnseen, () => "").replace(UNSEEN, "");
  const forged = findInjected(visible).filter(({ kind }) => kind === "forged-tag");
  return withReplaced(visible, forged, withLookalikes).replace(SPOKEN_TAG, "‹");
}

/** A text of several lines, each marked as a quotation. */
export function quoted(text: string) {
  return inert(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
