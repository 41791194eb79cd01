// Classifies texts: source code, questions, and standing instructions of the user.
import { sumOf } from "../lib/index.ts";

const codeLine =
  /[;{})\]:,=]\s*$|^\s*(?:def|class|import|from|return|if|for|while|else|elif|try|except|function|const|let|var|public|private|static|#|@|\/\/|\*|"""|:param|:return|:type|:rtype)/;
const CODE_SHARE = 0.5;

/** Whether most of it is source code. One line is too little to tell. */
export function isCode(text: string) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2) return false;
  const lengthOf = ({ length }: string) => length;
  const code = lines.filter((line) => codeLine.test(line));
  return sumOf(code, lengthOf) > sumOf(lines, lengthOf) * CODE_SHARE;
}

const codeDefinition =
  /\b(?:def|class|function|fn|func|interface|struct|trait|enum|type|const|let|var|module)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;

/** What a piece of code defines first. */
export const definedName = (text: string) => codeDefinition.exec(text)?.[1];

const standing = [
  /^\s*(?:always|never|from now on|whenever|remember|please (?:always|never|remember|make sure))\b/i,
  /\b(?:i|we) (?:always |really |generally |usually |strongly )?(?:prefer|favou?r|would rather|like to keep|like my)\b/i,
  /\bmy preference\b|\b(?:when|whenever|if) i ask\b/i,
  /(?:以后|从现在起|今后|每次|总是|始终|永远|一律|务必|请记住|记住)[^。！？\n]{0,20}(?:都|要|不要|别|请|用|使用)|我(?:更)?(?:喜欢|偏好|倾向|习惯)/,
];

/** A question mark at the very end; what stands in brackets or quotation marks after it does not count. */
const questionEnd = /[?？](?:[\s"'”’)\]\p{Extended_Pictographic}]|\ufe0f)*(?:\[[^\]]*\]\s*)?$/u;
/** A longer text that ends with a question is not about it. */
const LONGEST_QUESTION = 450;

/** Whether the text asks something, so that the next text is the answer. */
export const isQuestion = (text: string) => text.length <= LONGEST_QUESTION && questionEnd.test(text);

/** Whether the text is a standing instruction. */
export const isStandingRequest = (text: string) => standing.some((pattern) => pattern.test(text));
