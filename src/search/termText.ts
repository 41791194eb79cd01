// Terms in the texts of the index, where they stand with a space between two: counted and compared without taking the text apart.
import { stem, typedPart } from "../terms/index.ts";

const SPACE = 32;

/** How many terms it has. */
export function termCount(text: string) {
  if (text === "") return 0;
  let spaces = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === SPACE) spaces += 1;
  return spaces + 1;
}

function countOf(padded: string, sought: string, step: number) {
  let count = 0;
  for (let at = padded.indexOf(sought); at !== -1; at = padded.indexOf(sought, at + step)) count += 1;
  return count;
}

/** With a space on both ends, as `countTerm` and `hasTerms` take it. */
export const padded = (text: string) => ` ${text} `;

/** How often a term occurs. One that is still being typed occurs with every word that begins so, and with its own stem. */
export function countTerm(text: string, term: string) {
  const typed = typedPart(term);
  if (typed === undefined) return countOf(text, ` ${term} `, term.length + 1);
  const whole = stem(typed);
  return countOf(text, ` ${typed}`, 1) + (whole.startsWith(typed) ? 0 : countOf(text, ` ${whole} `, 1));
}

/** Whether these terms follow each other; the last may still be being typed. */
export function hasTerms(text: string, terms: readonly string[]) {
  const typed = typedPart(terms.at(-1) ?? "");
  if (typed === undefined) return text.includes(` ${terms.join(" ")} `);
  const before = [" ", ...terms.slice(0, -1).map((term) => `${term} `)].join("");
  return text.includes(`${before}${typed}`) || text.includes(`${before}${stem(typed)} `);
}
