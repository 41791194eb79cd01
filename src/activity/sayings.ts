// Sentences that bind later work: constraints and decisions, by the words that give them away.

/** A person limits or demands something, in English or Chinese. */
const constraint =
  /\b(must(?: not)?|never|always|don'?t|do not|avoid|only use|make sure|ensure|required?|no need to|instead of|without (?:touching|changing|breaking)|keep (?:the|it|this))\b|不要|不能|别|必须|务必|一定要|只能|禁止|避免|保持/i;

/** A choice that was made. */
const decision =
  /\b(decid(?:e|ed|ing)|we(?:'ll| will) (?:use|go|keep|do)|let'?s (?:use|go with|do|keep|not)|i(?:'ll| will) go with|going with|chose|chosen|the approach|settled on|rather than|agreed)\b|决定|选择|采用|改用|就用|方案/i;

const LONGEST = 400;

/** Sentences of a text, in order; code fences and long lines are left out. */
export function sentencesOf(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, "\n");
  return prose
    .split(/(?<=[.!?])\s+|(?<=[。！？；])|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#-]+/, "").trim())
    .filter((sentence) => sentence.length >= 4 && sentence.length <= LONGEST);
}

export function isConstraint(sentence: string): boolean {
  return constraint.test(sentence);
}

export function isDecision(sentence: string): boolean {
  return decision.test(sentence);
}
