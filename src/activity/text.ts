// Sentences of a text in English or Chinese, without the marks of Markdown, and the one that opens a request.
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

export const wordCount = (text: string): number => text.split(/\s+/).length;

/** What opens a request and asks for nothing. */
const addressing = /^(?:(?:and|but|so|hm+|e?hh?|oh|yeah|well|question|one question|debug)[,:]? +)+/i;

/** The sentence that opens a request, if it says anything by itself; of what was pasted, none. */
export function openingIn(request: string): string | undefined {
  if (ownWords(request).length < 0.6 * request.trim().length) return undefined;
  const said = plain(sentencesOf(request)[0] ?? "").replace(addressing, "");
  return wordCount(said) >= 4 || /[\u3400-\u9fff]{6}/.test(said) ? said : undefined;
}

/** The question that opens a request, and its beginning, if that is one by itself. */
export function questionsIn(request: string): string[] {
  const said = openingIn(request) ?? "";
  const [clause = ""] = said.split(/[,，] ?/);
  return [
    ...(asking.test(said) || /[?？]$/.test(said) ? [said] : []),
    ...(clause !== said && asking.test(clause) && wordCount(clause) >= 6 ? [clause] : []),
  ];
}
const asking =
  /^(?:how|why|what|where|when|which|who|is|are|was|were|do|does|did|can|could|would|should|will|has|have|in which)\b|怎么|为什么|什么|哪|吗/i;
