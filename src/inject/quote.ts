// Stored text as a model may read it: quoted, on its own lines, so that it cannot pass for the words of a user or agent.
import { findOrders, inert, lookalikeBrackets } from "../redact/index.ts";

/** Whether a text gives orders, or would carry secrets away: then not even its title is shown unasked. */
export function isOrder(text: string) {
  return findOrders(text).length > 0;
}

/** What is left of a word in whose middle a text was cut, unless that is most of the text. */
function withoutPart(head: string, next: string) {
  const end = head.search(/\s\S*$/u);
  return /^[\p{L}\p{N}_]/u.test(next) && /[\w\p{Script=Latin}]$/u.test(head) && end > head.length / 2
    ? head.slice(0, end)
    : head;
}

/** Cut to so many characters, at the end of a word; full-width ones count twice. */
export function cut(text: string, width: number) {
  let [room, end] = [width, 0];
  for (const character of text) {
    room -= /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
      character,
    )
      ? 2
      : 1;
    if (room < 0) return `${withoutPart(text.slice(0, end), character).trimEnd()}…`;
    end += character.length;
  }
  return text;
}

/**
 * A text on one line, fit to stand among our own words. `withheld` stands there for one that gives orders; what a person
 * keeps as guidance may speak to a model.
 */
export function lineOf(text: string, withheld: string, role: "data" | "guidance" = "data") {
  if (findOrders(text, role).length > 0) return withheld;
  return inert(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[<＜﹤>＞﹥]/gu, (bracket) => lookalikeBrackets[bracket] ?? bracket);
}

/** A line as one cell of a table, at most so wide. */
export function cellOf(line: string, width: number) {
  return cut(line, width).replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}
