// What a reply chooses: numbered options, numbered questions, and offers that are accepted or declined.
import { sentencesOf } from "./text.ts";

/** One of the things a text puts up for a choice. */
interface Option {
  /** `2`, `b`: what a reply calls it. */
  readonly mark: string;
  /** It is called an option or approach, not only numbered. */
  readonly isNamed: boolean;
  readonly text: string;
}

const numerals: Readonly<Record<string, string>> = {
  一: "1",
  二: "2",
  两: "2",
  三: "3",
  四: "4",
  五: "5",
  六: "6",
  first: "1",
  second: "2",
  third: "3",
  fourth: "4",
  fifth: "5",
};
const markOf = (word: string) => numerals[word.toLowerCase()] ?? word.toLowerCase();

const noun = "option|approach|alternative|solution|choice|variant|方案|选项|办法|做法|方式|思路";
const optionLine = new RegExp(
  String.raw`^[ \t>]*(?:#{1,6}\s*)?(?:[-*•]\s+)?(?:\*\*|__)?\s*(?:(?<noun>${noun})\s*)?(?<mark>\d{1,2}|[A-Fa-f]|[一二三四五六])(?=\s*(?:[.):：、，—–-]|\*\*))\s*(?:\*\*)?[.):：、，—–-]?\s*(?<rest>\S.*)?$`,
  "iu",
);

/** The options of a text; of a mark that is used twice, the later stands last. */
function optionsIn(text: string): Option[] {
  const options: { mark: string; isNamed: boolean; lines: string[]; isOpen: boolean }[] = [];
  for (const line of text.split("\n")) {
    const groups = optionLine.exec(line)?.groups;
    const mark = groups?.mark;
    if (mark !== undefined && (groups?.noun !== undefined || /\d|[一-六]/.test(mark) || /^[A-F]$/.test(mark)))
      options.push({ mark: markOf(mark), isNamed: groups?.noun !== undefined, lines: [line], isOpen: true });
    else {
      const last = options.at(-1);
      // A heading or a rule ends the last option of a list.
      if (last && /^\s*(?:#{1,6}\s|-{3,}\s*$)/.test(line)) last.isOpen = false;
      if (last?.isOpen) last.lines.push(line);
    }
  }
  const texts = options.map(({ lines }) => lines.join("\n").trim());
  // Where every option before it is one paragraph, the last one is too: what follows speaks of all of them.
  const isParagraphs = texts.slice(0, -1).every((text) => !/\n\s*\n/.test(text));
  return options.map(({ mark, isNamed }, at) => {
    const text = texts[at] ?? "";
    const isLast = at === options.length - 1 && at > 0;
    return { mark, isNamed, text: isLast && isParagraphs ? (text.split(/\n\s*\n/, 1)[0] ?? text) : text };
  });
}

/** What a reply picks, and the words that belong to it. */
interface Pick {
  readonly mark: string;
  readonly words: string;
}

/** A longer reply does more than choose; the numbers in it may mean anything. */
const SHORT_REPLY = 160;
const pickedMark = new RegExp(
  String.raw`(?<!\b(?:not|skip|except|without)\s+)(?:(?:(?<![A-Za-z])(?:${noun}|number)|#|第|选|用)\s*(?<named>\d{1,2}|[A-F]\b|[一二三四五六])|\bthe (?<ordinal>first|second|third|fourth|fifth)\b|(?<![A-Za-z0-9.#/_-])(?<bare>\d{1,2}|[A-F])(?![A-Za-z0-9%_/]|[.]\d|\s*(?:先不|不|别)))`,
  "giu",
);
const openingMark = /^\s*(\d{1,2}|[A-F])(?=\s*(?:$|[,，]|and\b|but\b))/u;
const answerLine = /^\s*(?<mark>\d{1,2})\s*[.):、：-]\s*(?<words>\S[\s\S]*?)\s*$/u;

const isQuestion = (text: string) => /[?？]\s*$/.test(text.trim());

/** `1. no 2. yes`: the answers to numbered questions, on lines of their own or on one. */
function numberedAnswers(reply: string): Pick[] {
  const parts = reply.split(/\n+|\s+(?=\d{1,2}[.):、]\s)/u).filter((part) => part.trim() !== "");
  const answers = parts.flatMap((part): Pick[] => {
    const { mark, words } = answerLine.exec(part)?.groups ?? {};
    return mark === undefined || words === undefined ? [] : [{ mark: markOf(mark), words }];
  });
  return answers.length === parts.length ? answers : [];
}

/** "for Critical 2": the number belongs to a name, and is no option. */
const isNamed = (text: string, at: number) => /[^.!?\s]\s+[A-Z][a-z]{3,}\s*$/.test(text.slice(0, at));

/** A number, letter or ordinal in a short reply, or with "option" before it in one sentence of a longer one. */
function picksIn(reply: string): Pick[] {
  const isShort = reply.length <= SHORT_REPLY;
  const sentences = isShort ? [reply] : sentencesOf(reply);
  // "3 and could we also …?" chooses first and asks then.
  const first = isShort ? openingMark.exec(reply)?.[1] : undefined;
  if (first !== undefined) return [{ mark: markOf(first), words: reply }];
  const marks = sentences
    .filter((sentence) => !isQuestion(sentence))
    .flatMap((sentence) =>
      [...sentence.matchAll(pickedMark)].filter(
        ({ groups, index }) => !(groups?.bare && isNamed(sentence, index)),
      ),
    )
    .flatMap(
      ({ groups }) => groups?.named ?? (isShort ? (groups?.ordinal ?? groups?.bare) : undefined) ?? [],
    );
  return [...new Set(marks.map(markOf))].map((mark) => ({ mark, words: reply }));
}

/** It calls an option by a name that only an option has. */
export const namesOption = (reply: string) =>
  new RegExp(String.raw`(?<![A-Za-z])(?:${noun})\s*(?:\d|[A-F]\b|[一二三四五六])`, "iu").test(reply);

/** An option that a reply chooses, or a question that it answers with words of its own. */
interface ChosenOption {
  readonly option: string;
  readonly answer?: string;
}

export function chosenOptions(proposal: string, reply: string): ChosenOption[] {
  const options = optionsIn(proposal);
  if (options.length < 2) return [];
  // Of several with one mark the one that is called an option, else the last.
  const find = (mark: string, among = options) =>
    among.findLast((one) => one.mark === mark && one.isNamed) ?? among.findLast((one) => one.mark === mark);
  const answers = numberedAnswers(reply);
  const asked = options.filter(({ text }) => /[?？]/.test(text));
  if (answers.length > 1)
    return answers.flatMap(({ mark, words }) => {
      const question = find(mark, asked);
      return question ? [{ option: question.text, answer: words }] : [];
    });
  return picksIn(reply).flatMap(({ mark }) => {
    const option = find(mark);
    return option ? [{ option: option.text }] : [];
  });
}

// The words with which English and Chinese agree and refuse are closed classes, like pronouns.
const yes =
  /^(?:(?:oh|ah|hmm+|hm|well|cool|nice|great|perfect|awesome|good|thanks|thank you|ok(?:ay)?|alright|right|fine|cheers|thx)[\s,.!—-]+)*(?:(?:yes|yep|yeah|yup|ya|sure|absolutely|definitely|exactly|agreed?|correct|please|ok(?:ay)?|alright|perfect|great|go|proceed|continue|sounds? good|looks? good|lgtm|makes sense|go ahead|go for it|do it|do that|do this|do both|do all|let'?s (?:do|go|try|add|fix)|ship it|works for me|fine|y)\b|👍)/iu;
const yesChinese =
  /^(?:嗯+|好+的?|可以|行|对|是的?|同意|没问题|没错|就这样|按你|按这个|照你|改|做|加|上|继续|来|动手|开始|写|修|删|提交|合|要|需要|确认)(?:吧|了|呀|啊|的|啦|嘛|,|，|。|！|!|\s|$|[\p{Script=Han}]{0,8})/u;
const no =
  /^(?:(?:oh|ah|hmm+|hm|well|ok(?:ay)?)[\s,.!—-]+)*(?:no\b|nope|nah|not\b|don'?t|do not|stop|wait|actually|hold on|never ?mind|instead\b|revert|undo|roll back)/iu;
const noChinese = /^(?:不(?!过|错|仅|但)|别(?![的人])|算了|等下|等等|先别|先不|停|撤销|回退|还是)/u;

export type Stance = "accepts" | "declines" | "neither";

/** Whether a reply opens by agreeing or by refusing; a question does neither. */
export function stanceOf(reply: string): Stance {
  const opening = reply.trim().slice(0, 120);
  if (no.test(opening) || noChinese.test(opening)) return "declines";
  if (!(yes.test(opening) || yesChinese.test(opening))) return "neither";
  const [first = opening] = opening.split(/(?<=[.!?。！？])\s*|\n/u);
  return isQuestion(first) ? "neither" : "accepts";
}

/** What is left of an acceptance when its own words are gone: "yes, do that please" leaves nothing. */
const acceptanceWords =
  /\b(?:yes|yep|yeah|yup|ya|sure|absolutely|definitely|exactly|agreed?|correct|please|ok(?:ay)?|alright|perfect|great|good|nice|cool|go|ahead|for|it|that|this|them|those|both|all|do|does|let'?s|lets|try|add|implement|implementing|apply|make|fix|change|proceed|continue|sounds?|looks?|lgtm|makes|sense|fine|thanks|i|think|we|can|should|then|now|too|also|so|the|a|to|and|with|just|approach|idea|way|works|me|you|y|first|up)\b|[嗯好的可以行对是同意没问题错就这样按你照个改做加上继续来动手开始写修删吧了呀啊啦嘛要需确认先也都那]/giu;

/** It agrees and asks for nothing else. */
export function isPureAcceptance(reply: string): boolean {
  if (reply.length > SHORT_REPLY || stanceOf(reply) !== "accepts") return false;
  return (reply.replace(acceptanceWords, " ").match(/[\p{L}\p{N}]+/gu) ?? []).length <= 1;
}

const offer =
  /\b(?:(?:do you )?want me to|would you like(?: me)?|should (?:i|we)|shall (?:i|we)|do you want|can i|may i|ready to|ok(?:ay)? (?:to|if)|proceed)\b|要不要|是否|需要我|要我|我(?:可以|来)|吗[？?]|好吗|行吗|可以吗|怎么样/iu;

/** The question at the end of a text that offers something to do. */
export function offerIn(text: string) {
  const asked = sentencesOf(text.slice(-2_000)).filter(isQuestion);
  return asked.findLast((sentence) => offer.test(sentence)) ?? undefined;
}

/** `A or B?` leaves open what a "yes" means. */
export const isAlternative = (question: string) =>
  /\bor\b(?! not\b)|还是|或者/iu.test(
    question.replace(/\bor (?:should|shall|would you|do you|is this|leave)\b.*$/iu, " or "),
  );
