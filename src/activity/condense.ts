// A text in fewer characters: the sentences that tell most of it, word for word and in their order.

import { firstCharacters, lastCharacters } from "../lib/index.ts";

const codeFence = /```[\s\S]*?(?:```|$)/g;
const wordsIn = (text: string) =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{4,}|[\u4e00-\u9fff]{2}/gu) ?? []);

/** Says what is meant to happen: an intention, a proposal, advice. Only what is shown depends on it, nothing that is stated. */
const proposing =
  /\b(?:let me|let's|i(?:'ll| will|'d| would)|we(?:'ll| will|'d| should| can| could)|should|would be|could|recommend|suggest|instead|want me to|shall|need(?:s)? to|the fix|approach|option)\b|应该|建议|可以|方案|改成|改为|不如|需要|打算|要不要|先/iu;

interface Part {
  readonly text: string;
  readonly score: number;
}

/** More of a text than this is not read for its sentences: its beginning and its end are. */
const LONGEST_READ = 20_000;

/** Sentences of a text, each with how much it tells of what was proposed. */
function partsOf(text: string, reply: string): Part[] {
  const asked = wordsIn(reply);
  const parts = cutText(text, LONGEST_READ)
    .replace(codeFence, "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[-|:\s]+$/.test(line))
    .flatMap((line) => line.split(/(?<=[.!?])(?<!^\W{0,4}\d{1,2}\.)\s+(?=\S)|(?<=[。！？；])/u))
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.map((part, at) => {
    const shared = asked.size === 0 ? 0 : [...wordsIn(part)].filter((word) => asked.has(word)).length;
    const score =
      (at === 0 ? 1 : 0) +
      (at === parts.length - 1 ? 1 : 0) +
      (/[?？]$/.test(part) ? 1.5 : 0) +
      (/\*\*|^#{1,6}\s/.test(part) ? 1 : 0) +
      (proposing.test(part) ? 1.5 : 0) +
      Math.min(2, shared * 0.7) +
      (/`|[a-z][A-Z]|_/.test(part) ? 0.5 : 0);
    return { text: part, score };
  });
}

/**
 * Gives the sentences that tell most of a text, word for word and in their order, in at most so many characters. The
 * text is read once, whatever is asked for. `reply` is what the user said to it.
 */
export function condenser(text: string, reply: string): (most: number) => string {
  let [parts, ranked]: (readonly Part[])[] = [];
  return (most) => {
    if (text.length <= most) return text;
    parts ??= partsOf(text, reply);
    ranked ??= parts.toSorted((a, b) => b.score - a.score);
    const kept = new Set<Part>();
    let left = most;
    for (const part of ranked) {
      if (part.text.length + 3 > left) continue;
      kept.add(part);
      left -= part.text.length + 3;
    }
    return kept.size === 0 ? cutText(parts[0]?.text ?? text, most) : joined(parts, kept);
  };
}

export const condensed = (text: string, most: number, reply: string): string => condenser(text, reply)(most);

/** The parts that are kept, with a sign wherever something is missing. */
function joined(parts: readonly Part[], kept: ReadonlySet<Part>) {
  let [out, isGap] = ["", false];
  for (const part of parts) {
    if (kept.has(part)) {
      out += `${out === "" ? "" : isGap ? " … " : " "}${part.text}`;
      isGap = false;
    } else isGap = true;
  }
  return isGap ? `${out} …` : out;
}

/** Share of a cut text that is taken from its end. */
const TAIL = 0.3;
/** A cut moves by so many characters at most to stand between two words. */
const LONGEST_WORD = 60;

/** Beginning and end of a text, with a sign that something is missing. */
export function cutText(text: string, most: number) {
  if (text.length <= most) return text;
  const end = Math.floor((most - 3) * TAIL);
  const head = firstCharacters(text, Math.max(0, most - 3 - end));
  const rest = lastCharacters(text, end);
  const ending = lastCharacters(head, LONGEST_WORD);
  const opening = firstCharacters(rest, LONGEST_WORD);
  const whole = head.slice(0, head.length - ending.length) + ending.replace(/\s+\S*$/, "");
  return `${whole} … ${opening.replace(/^\S*\s+/, "")}${rest.slice(opening.length)}`.trim();
}
