// Sentences of a text in English or Chinese, without the marks of Markdown.
import { singleLine } from "../lib/index.ts";

/** At the end of a word, with a sign that something is missing. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const signs = Array.from(text);
  if (signs.length <= most) return text;
  const head = signs.slice(0, most - 1).join("");
  const end = head.search(/\s\S*$/);
  return `${(end > most * 0.6 ? head.slice(0, end) : head).trimEnd()}…`;
}

export const oneLine = (text: string, most: number): string => shortened(singleLine(text), most);

const LONGEST_SENTENCE = 400;

/** Sentences of a text, in order; code fences and long lines are left out. */
export function sentencesOf(text: string) {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, "\n");
  return prose
    .split(/(?<=[.!?]\*{0,2})(?<!\b(?:etc|e\.g|i\.e|vs)\.)\s+|(?<=[。！？；])|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#-]+/, "").trim())
    .filter((sentence) => sentence.length >= 4 && sentence.length <= LONGEST_SENTENCE);
}

/** A sentence without marks of Markdown, numbers of lists and words that only open it. */
export function plain(sentence: string) {
  return sentence
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{2,}|`+/g, "")
    .replace(/^\s*(?:#{1,6}\s+)?(?:\d+[.)]|[-*•]|\[[ x]\])\s+/i, "")
    .replace(
      /^(?:(?:so yes|yes|no|ok(?:ay)?|great|perfect|done|good|sure|right|exactly|so|ah|now|excellent|found it|(?:good|great|nice|perfect) (?:catch|question|point|idea|approach))(?:[,.!:—–]+\s*|\s*[-–—]\s+))+/i,
      "",
    )
    .replace(/^[^\p{L}\p{N}"'(/.<$@-]+/u, "")
    .replace(/[\s:：]+$/, "")
    .trim();
}

/** A line of a log, a table, a diff or a stack trace. */
const pastedLine = /^\s*(?:===|---|[|{}[\]<>#$+*]|at |\d{4}-|[A-Z][a-z]{2} +\d)/;

/** A person's own words in a text, without what was pasted: that has no sentences. The whole text where all is pasted. */
export function ownWords(text: string) {
  const lines = text.replace(/```[\s\S]*?(?:```|$)/g, "\n").split("\n");
  const prose = lines.filter(
    (line) =>
      /[\u4e00-\u9fff]{2}/.test(line) ||
      (!pastedLine.test(line) && (line.match(/\b[a-z]{2,}\b/g) ?? []).length >= 4),
  );
  return (prose.length > 0 ? prose.join(" ") : text).trim();
}
