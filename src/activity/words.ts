// What the assistant's own words say: the sentence that tells most, the facts, and what is still to be done.
import { plain, sentencesOf, shortened, wordCount } from "./text.ts";

const filler =
  /^(?:done|fixed|committed|pushed|yes|no|ok(?:ay)?|perfect|great|good|sure|excellent|all (?:done|set|good)|you(?:'re| are| were)? (?:absolutely )?right|i see|understood|thanks|(?:i think )?(?:now )?i (?:now )?(?:have|understand|see|can see)|good (?:idea|question|catch|point|news))\b.{0,28}$|^(?:[\w' ]{2,20}[,—–-] ?)?(?:here(?:'s| is| are)|you can\b|(?:so )?to answer|let me|let's see|i'll|i will|i'm going|now let|looking at|based on|in summary|summary|the (?:change|fix|result) would be|no response requested|好的|完成了?|明白|没问题|让我|下面)/i;
const aboutChecks =
  /\b(?:tests?|build|lint(?:er)?|checks?|compil\w+)(?: all| [-–—])? (?:pass|are (?:green|passing)|succe)|\ball (?:\w+ )?tests\b|\b(?:no|0) (?:\w+ )?(?:issues|errors|warnings)\b|测试(?:全部)?通过/i;
const vague =
  /^(?:both|it|this|that|they|these|those|everything|all of|(?:all|both) (?:the |of the )?(?:issues|items|changes|comments|tasks|points|fixes|findings))\b/i;
const codeLike = /[\w$]+\(\)|[\w-]+\.[a-z]{1,4}\b|\b[a-z]+[A-Z]\w*|\b\w+_\w+|\d|`/;

const quoted = /["“][^"”]*["”]/g;
const headingLine = /^\s*(#{1,6})\s+(\S.*)$/;
/** A table, a diagram, a rule or a quotation. */
const isDrawn = (line: string) => /^\s*(?:[|│┌└├╔╚>]|-{3,}|={3,})/.test(line);

/** A table, a diagram, a quotation or a heading is no sentence of the speaker. */
function prose(text: string) {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .filter((line) => !headingLine.test(line) && !isDrawn(line))
    .join("\n");
}

/** Words by their beginnings: endings differ. */
const content = (text: string) =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? []).map((word) =>
      word.replace(/(?:e?s|ed|ing)$/, ""),
    ),
  );

const isReportable = (sentence: string) =>
  !filler.test(sentence) &&
  (wordCount(sentence) >= (pastVerb.test(sentence) ? 4 : 5) || /[\u3400-\u9fff]{6}/.test(sentence));

const CANDIDATES = 12;
/** A sentence with a lower score says nothing that could stand for the whole. */
const WORST = -2;

interface Candidate {
  readonly sentence: string;
  readonly said: string;
  /** One of a list: a part of what is meant, not the whole. */
  readonly isItem: boolean;
  /** The heading or the opening that an item stands under. */
  readonly under: string;
  /** It stands under what says that it is offered, supposed, planned or asked for. */
  readonly isSupposed: boolean;
}

/** What opens a list can end in a clause that only the list completes: "clears the cache so when the theme changes:". */
const withoutEnd = (said: string, sentence: string) =>
  isOpening(sentence) ? said.replace(/,?\s(?:so|and|but),?\s(?:when|where|if|that)\s[^,.]*$/i, "") : said;

/** What stands below such a heading is wanted, not so. */
const offering =
  /\b(?:achieves?|unlocks?|benefits?|advantages?|propos\w+|suggestions?|options|alternatives|would)\b|方案|建议|优点/i;
const condition = /\b(?:if|when|whenever|once|unless)\s|如果|的时候/i;
/** What stands below it is so no more. */
const earlier = /^(?:before|previously|old|之前|原来)$/i;

/** The sentences of a message, each item with what it stands under. */
function statementsIn(words: string): Candidate[] {
  let under = "";
  /** It says in which case what follows is so. */
  let isCase = false;
  /** Headings in force, by level. */
  const headings: string[] = [];
  const found: Candidate[] = [];
  for (const line of words.replace(/```[\s\S]*?(?:```|$)/g, "\n").split("\n")) {
    const [, marks = "", heading] = headingLine.exec(line) ?? [];
    const isItem = /^\s*(?:[-*•]|\**\d+[.)])\s/.test(line);
    // What stands below an item is said of it alone: of the step of an example, of one case.
    const isNested = isItem && /^\s{2}/.test(line);
    if (heading !== undefined) headings.splice(marks.length - 1, Number.POSITIVE_INFINITY, plain(heading));
    if (heading !== undefined || (!isItem && isOpening(line))) {
      under = plain(heading ?? sentencesOf(line).at(-1) ?? "");
      isCase = heading === undefined && condition.test(line);
    }
    if (heading !== undefined || isDrawn(line)) continue;
    const isSupposed =
      headings.some((one) => offering.test(one)) ||
      isNested ||
      earlier.test(under) ||
      (isItem && (isCase || [under, ...headings].some((one) => supposing.test(one))));
    for (const sentence of sentencesOf(line))
      found.push({
        sentence,
        said: withoutEnd(plain(sentence), sentence),
        isItem,
        under: isItem ? under : "",
        isSupposed,
      });
  }
  return found;
}

/** Says itself that it is what the answer comes to. */
const verdict = /^(?:verdict|conclusion|bottom line|结论)[:：]\s*\S/i;

const candidatesIn = (words: string) =>
  statementsIn(words)
    .filter(({ said }) => isReportable(said) && said.length >= 12)
    .filter(({ said }, place) => place < CANDIDATES || verdict.test(said));

function score({ sentence, said, isItem }: Candidate, place: number, wanted: ReadonlySet<string>) {
  const shared = [...content(said)].filter((word) => wanted.has(word)).length;
  const faults: readonly (readonly [boolean, number])[] = [
    [isItem, 1.2],
    [aboutChecks.test(said), 2.5],
    [vague.test(said), 1],
    [/^(?:and|but|also|then|because|which|after|before)\b/i.test(said), 0.7],
    [/[?？]["'”’)]*$/.test(said), 3],
    [/[:：]\W*$/.test(sentence), 0.8],
    [/\b(?:now|following|these|this|are|is|here|so|to|by)[:：]\W*$/i.test(sentence), 1.5],
    [/^[\w()' -]{2,28}[:：] /.test(said), 0.8],
    [said.length > 160, 0.5],
    [!/[.!。！]\W*$/.test(sentence), 0.4],
  ];
  const minus = faults.reduce((sum, [isSo, weight]) => sum + (isSo ? weight : 0), 0);
  return (
    (codeLike.test(sentence) ? 1.5 : 0) +
    Math.min(shared, 3) * 0.5 -
    minus -
    (verdict.test(said) ? -1.5 : place * 0.35)
  );
}

/** "And I've fixed the clock" becomes "Fixed the clock". A name keeps its letters. */
function impersonal(said: string) {
  const rest = said
    .replace(/^(?:and|but|also),?\s+/i, "")
    .replace(
      /^(?:i|we)(?:'ve| have) (?:now |also |just |properly |successfully )*(?=[a-z]+(?:ed|t|n|d|de|ut)\b)|^i (?=[a-z]{3,}ed\s)/i,
      "",
    );
  return rest === said || /^[a-z]+[A-Z_.(]/.test(rest)
    ? rest
    : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

/** The sentence of a closing message that says most of what was asked; undefined when none says anything. */
export function headline(words: string, about: string) {
  const wanted = content(about);
  const [best] = candidatesIn(words)
    .map((candidate, place) => ({ said: candidate.said, score: score(candidate, place, wanted) }))
    .sort((a, b) => b.score - a.score);
  if (best && best.score > WORST) return impersonal(best.said);
  const heading = /^#{1,4}\s+(\S.*)$/m.exec(words)?.[1];
  return heading === undefined ? best?.said : plain(heading);
}

export interface Report {
  readonly text: string;
  /** It opens a list or a block of code, or is an option of one: it needs it to be understood. */
  readonly isOpening: boolean;
  /** It was offered, supposed, planned or asked for: true only with what it stands under. */
  readonly isSupposed: boolean;
  /** As a title, which nothing stands before: an item with what it is an item of. */
  readonly title: string;
  /** How well the title is understood by itself; below 0 it is a fragment. */
  readonly standing: number;
}

/** What was done, which needs no subject: "Added the clock". */
const pastVerb = /^(?:[A-Z][a-z]+ed|Built|Wrote|Made|Kept|Split|Rewrote)\s/;
const supposed = /\b(?:should|would|will|could|can|guess|recommend|suggest|suspect\w*)\b|[?？]|建议|应该/i;
const leftOut = /\b(?:skipped|deferred|postponed|left out|not done|failed)\b|跳过|没做|失败/i;
/** Whether a sentence says what was done: "Added the clock", "`now()` - Returns UTC now", "已经改回去了". */
export const saysDone = (text: string): boolean =>
  !leftOut.test(text) &&
  !supposed.test(text.replace(quoted, "")) &&
  (pastVerb.test(text.replace(/^.{1,60}?(?:[:：]| [-–—]) (?=[A-Z])/, "")) ||
    pastVerb.test(text) ||
    /\b(?:now|no longer)\b|\b(?:has|have) been \w|[\u3400-\u9fff]了|已经?[\u3400-\u9fff]|改(?:成|为)/i.test(
      text,
    ));
/** Openings that join a sentence to the one before, and verbs whose subject stands there. */
const joining =
  /^(?:so|then|instead|otherwise|only|always|never|same|another|either|neither|again|to be clear|no more|now when|however|ok(?:ay)?|i (?:see|think)|great|good)\b/i;
/** Says what could be done: nothing was done by it. */
const proposal =
  /^(?:i(?:'d| would)? (?:suggest|recommend|propose|go with)|we (?:should|could)|我?建议|我倾向)/i;
/** Says which way would be best or how something is liked, not what was done. */
export const suggests = (title: string): boolean =>
  proposal.test(title) ||
  (vague.test(title) && !codeLike.test(title)) ||
  (judging.test(title) && !saysDone(title)) ||
  /^option \w+ is\b|\b(?:would|could)\b/i.test(title.replace(quoted, ""));
const withoutSubject =
  /^[A-Z][a-z-]+(?:[^s]s|sses|shes|ches)\s+(?:an?|the|that|this|if|whether|by|in|as|for|to|on|with|from|when|all|any|each|every|both)\s/;
/** A verb opens it, and who does it stands before: "Splits by the separator", "Never returns an error". */
export const lacksSubject = (title: string): boolean =>
  withoutSubject.test(title) || /^(?:Never|Always|Only|Runs|Uses|No longer)\s/.test(title);
const label =
  /^(?:lines?|steps?|prompt|option|phase|case|scenario|session|part|level|item|task|issues?)\s*#?\d|^[\d~]/i;

/** Says how something is liked, not what it is. */
const judging =
  /\b(?:feels?|seems?|makes? sense|concerns?|great|nice|cleaner|clearer|better|simpler|simplif\w+)\b/i;

function standingOf(title: string, isItem: boolean) {
  const signs: readonly (readonly [boolean, number])[] = [
    [pastVerb.test(title), 1.5],
    [isItem && !pastVerb.test(title), -1],
    [isItem && /^(?!Missing)[A-Z][a-z]+ing\s/.test(title), -1],
    [/[→←⇒│]|=>/.test(title), -3],
    [label.test(title), -1.5],
    [joining.test(title), -1.5],
    [/^(?:before|previously|problem|issue|old|之前|原来|问题)[:：]/i.test(title), -1.5],
    [imperative.test(title) || proposal.test(title), -1.5],
    [vague.test(title), -4],
    [withoutSubject.test(title), -1.5],
    [/^[^:：]{2,40}(?:[:：]| [-–—]) /.test(title), -0.5],
    [/^(?:\S+\s+){0,5}(?:this|that|these|those|it)\b/i.test(title), -0.5],
    [/!$/.test(title), -0.5],
    [judging.test(title), -1],
    [aboutChecks.test(title), -3],
    [/[?？]/.test(title), -2],
  ];
  return signs.reduce((sum, [isSo, weight]) => sum + (isSo ? weight : 0), 1);
}

/** Ends in a word that needs what follows. */
export const unfinished =
  /\b(?:now|that|which|so|to|by|with|as|is|are|was|were|the|an?|not|and|or|describes|includes|covers|shows|does|has|have|can|could|would|show|include|contain|cover|of|for|in|on|at|from|into|via|than|because|like|following|[a-z]+ing)$/i;
/** Opens with what needs a main clause, or asks: the list is the answer. */
export const dependent =
  /^(?:[\w ]{2,20}: )?(?:so )?(?:if|when|while|after|before|because|since|unless|once|although|for|with|in|to|by|from|at|on|as|what|how|why|where|which|key|other|two|three|\d+)\b/i;
const hasVerb =
  /\s(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|now|not|[a-z]{2,}(?:[^s\W]s|ed))\s/;
/** An opening that tells what was done, or is a sentence without its list. */
const isWholeReport = (text: string) => {
  if (unfinished.test(text) || /\b(?:this|these|following|below)\s\S+$/i.test(text)) return false;
  if (pastVerb.test(text)) return wordCount(text) >= 4;
  if (/[\u3400-\u9fff]{6}/.test(text)) return true;
  return wordCount(text) >= 6 && !dependent.test(text) && hasVerb.test(text);
};

const TITLE = 100;
/** What a title can be understood by counts so much beside what it says. */
const STANDING = 0.6;

/** Two long words or a name: "Changes made" says nothing of its items. */
const isTopic = (text: string) =>
  codeLike.test(text) || (text.match(/\p{L}{5,}|[\u3400-\u9fff]{2}/gu) ?? []).length >= 2;

/** What was offered, supposed or asked for was not done: without its heading it is no title, and what the user is to do is none at all. */
const isOffered = ({ said, under, isSupposed }: Candidate) =>
  isSupposed && (!supposing.test(under) || instructing.test(under) || `${under}: ${said}`.length > TITLE);
const instructing = /\b(?:look for|verify|to (?:test|try|run|do)|next steps?|you can|will)\b|步骤|下一步/i;
const supposing =
  /\b(?:will|either|likelihood|requires?|achieves?|unlocks?|hard to|options?|alternatives?|propos\w+|suggest\w+|could|would|should|approaches|benefits?|advantages?|pros|cons|trade-?offs?|if|when|conditions?|cases|scenarios?|examples?|look for|verify|to (?:test|try|run|do)|next steps?|you can)\b|方案|选项|建议|优点|好处|能[减改加用做]的|办法|如果|条件|步骤|可以/i;

const subjectNow =
  /(?:^|\b(?:so that|that|and|so)\s|[,;:：—]\s)((?:the |all |both )?(?!it\b|they\b|this\b|we\b|you\b)[\w`.()'-]+(?: [\w`.()'-]+){0,3}) now$/i;
/** "The script now:" is the subject of "Builds the binary", which is no sentence without it. */
function joinedWith(under: string, text: string) {
  const subject = subjectNow.exec(under)?.[1];
  // Which function that is, the name of the file says.
  if (subject === undefined || /^the [a-z]+$/i.test(subject)) return undefined;
  if (!(lacksSubject(text) || /^[A-Z][a-z]+[^s\W]s\s/.test(text))) return undefined;
  const opening = /^(?:the|all|both)\s/.test(subject) ? subject.charAt(0).toUpperCase() : subject.charAt(0);
  return `${opening}${subject.slice(1)} now ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** An item is named by what it stands under, where both fit into a title. */
function titleOf({ said, isItem, under, isSupposed }: Candidate): Pick<Report, "title" | "standing"> {
  const text = impersonal(said);
  const joined = joinedWith(under, text);
  if (joined !== undefined) return { title: joined, standing: standingOf(joined, false) };
  const standing = standingOf(text, isItem);
  const named = `${under}: ${text}`;
  // What was only offered is never told without the heading that says so.
  if (isSupposed && supposing.test(under) && !filler.test(under) && named.length <= TITLE)
    return { title: named, standing: standingOf(named, false) - 1 };
  // An item that is a sentence needs no opening, but the heading that says whose it is.
  const isEnough = !isSupposed && standing >= (unfinished.test(under) ? 0 : 1);
  if (isEnough || !isTopic(under) || filler.test(under) || named.length > TITLE)
    return { title: text, standing: isEnough || named.length <= TITLE ? standing : standing - 1 };
  return { title: named, standing: Math.max(standing, standingOf(named, false) - 0.5) };
}

const isOpening = (line: string) => /[:：]\W*$/.test(line);

const topic = /^(?:\W|here(?:'s| is)(?: the)?|this is) *((?:how|why|where) [^:.]{20,90})[:.]?\s*$/im;

/** What an answer announces to explain: "Here's how the warning works:". */
export function topicIn(words: string): string | undefined {
  const said = topic.exec(words)?.[1];
  return said === undefined ? undefined : plain(`${said.charAt(0).toUpperCase()}${said.slice(1)}`);
}

/** "I like this because:" says nothing without what follows, and one of several options nothing of what was done. */
const isHalf = ({ sentence, said, under }: Candidate) =>
  (isOpening(sentence) && unfinished.test(said)) || /\b(?:options?|alternatives?)\b|选项|备选/i.test(under);

/** The sentences of a closing message that report something, the one that says most first. */
export function reportsIn(words: string, about: string): Report[] {
  const wanted = content(about);
  return candidatesIn(words)
    .map((candidate, place) => ({ candidate, score: score(candidate, place, wanted) }))
    .filter(({ candidate, score }) => score > WORST && !isHalf(candidate))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate, score }) => {
      const { title, standing } = titleOf(candidate);
      const said = impersonal(candidate.said);
      const text = candidate.isItem && lacksSubject(said) ? title : said;
      const isWhole = !isOffered(candidate) && (!isOpening(candidate.sentence) || isWholeReport(text));
      const { isSupposed } = candidate;
      return { text, isOpening: !isWhole, isSupposed, title, standing: score + STANDING * standing };
    });
}

/** Says what something is, does or needs. */
const defining =
  /\b(?:is|are|was|were|means?|returns?|uses?|defaults? to|lives? in|stored? in|stores|because|caused by|due to|requires?|needs?|only|never|always|takes?|holds?|contains?|triggers?|drops?|keeps?|calls?|expects?|must)\b|是|在于|因为|由于|需要|默认|必须|返回|使用/;
const FACT_LENGTH = 240;

/** Tells what to do, not what is so. */
const imperative =
  /^(?:(?:or|and|then|just|simply)\s+)*(?:add|apply|avoid|call|change|check|create|delete|ensure|extract|fix|have|implement|keep|look|make|modify|move|pass|refactor|remove|rename|replace|return|run|set|skip|update|use|wrap|write)\s/i;

export function factsIn(words: string, most: number): string[] {
  const facts = statementsIn(words)
    .filter(({ sentence, isSupposed }) => !isSupposed && !/[?:]$/.test(sentence))
    .filter(({ sentence }) => codeLike.test(sentence) && defining.test(sentence))
    .map(({ said }) => said.replace(/^(?:and|but|also),?\s+/i, ""))
    .filter(
      (said) =>
        isReportable(said) &&
        !imperative.test(said) &&
        !vague.test(said) &&
        said.length >= 20 &&
        said.length <= FACT_LENGTH &&
        !aboutChecks.test(said),
    );
  return [...new Set(facts)].slice(0, most);
}

/** Opens with what is next or left, or says of something that it is open; "the remaining hunks" and "still has a field" are no steps. */
const leftOpen =
  /^(?:the )?next\b[^.:]{0,40}?(?::| (?:is|are)\b)|^(?:the )?(?:only )?remaining [\w ]{1,30}?(?::| (?:is|are)\b)|\b(?:remains?|(?:is|are) still) (?:pending|open|missing|unresolved|to be|to do)\b|\bstill (?:needs?|has to|have to)\b|^(?:you(?:'ll| will| still)? need to|to ?do:|follow[- ]?up:)\s|下一步|接下来|还需要|待办/i;
const offer =
  /\b(?:shall i|should (?:i|we)|would you like|do you want|want me to|ready to|next|proceed)\b|要不要|是否需要/i;

/** What is left open, and the question at the end that offers to go on. What opens a list says nothing without it. */
export function nextStepsIn(words: string, most: number): string[] {
  const steps = sentencesOf(prose(words))
    .filter((sentence) => !/[:：]\W*$/.test(sentence))
    .filter((sentence) =>
      /[?？]\W*$/.test(sentence.replace(quoted, ""))
        ? offer.test(sentence)
        : leftOpen.test(plain(sentence).replace(quoted, "")),
    )
    .map(plain);
  return [...new Set(steps)].filter((step) => step.length >= 8).slice(-most);
}

const announcing =
  /^(?:now|next|then|first|finally)\b|\b(?:let me|let's|i'll|i will|i'm going to|i need to)\b|^(?:现在|接下来|下一步|然后|先|再)|让我|我来|我先/i;

/** What a message in the middle of a turn says is done next: the last sentence that announces something, else the first one. */
export function announcementIn(words: string): string | undefined {
  const sentences = sentencesOf(prose(words))
    .map(plain)
    .filter((sentence) => sentence.length >= 8);
  return sentences.findLast((sentence) => announcing.test(sentence)) ?? sentences[0];
}

/** The question that a message ends with. */
export function lastQuestion(words: string): string | undefined {
  const last = sentencesOf(prose(words)).at(-1);
  return last !== undefined && /[?？]$/.test(last) ? plain(last) : undefined;
}

const blankLines = /\n{3,}/g;

/** A message as it is kept: no code, no tables, not longer than `most`. */
export function condensed(words: string, most: number): string {
  const text = prose(words)
    .replace(/[*_]{2,}/g, "")
    .replace(blankLines, "\n\n")
    .trim();
  return shortened(text, most);
}
