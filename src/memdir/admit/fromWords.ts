// Makes a memory of one sentence as a person said it: guesses its type, and takes name and description from its words.
import { type MemoryType, memoryLimits } from "../folder/model.ts";
import { missingParts } from "./rules.ts";

/** What the person may have said about the memory besides its text. */
interface Given {
  readonly type?: MemoryType | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

interface WordedMemory {
  readonly type: MemoryType;
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** The type is a guess: it has to be shown, with how to change it. */
  readonly isGuessed: boolean;
  /** A rule about how to work, without its reason and how to apply it: kept under another type until both are said. */
  readonly lacksReason: boolean;
}

const POINTS_ELSEWHERE =
  /https?:\/\/|\b(?:documented|tracked|described|found|kept|lives?) (?:in|at|on|under)\b|\b(?:dashboard|runbook|wiki)\b|文档在|记录在|看板/i;
const ABOUT_THE_PERSON = /^(?:i|i['’]m|i['’]ve|i['’]d|my|me)\b|^(?:我|本人)/i;
const RULE =
  /^(?:please\s+)?(?:always|never|don['’]?t|do not|no|avoid|prefer|use|stop|only|make sure|keep|run|write|ask)\b|^(?:请)?(?:总是|永远|不要|别|禁止|务必|必须|避免|优先|只)/i;

function guessedType(text: string): MemoryType {
  if (POINTS_ELSEWHERE.test(text)) return "reference";
  if (ABOUT_THE_PERSON.test(text)) return "user";
  return RULE.test(text) ? "feedback" : "project";
}

/** At most so many characters, cut between words. */
function beginning(text: string, most: number) {
  const signs = [...text];
  if (signs.length <= most) return text;
  const cut = signs.slice(0, most).join("");
  const space = cut.lastIndexOf(" ");
  return space > most / 2 ? cut.slice(0, space) : cut;
}

const NAME_WORDS = 7;
const NAME_SIGNS = 40;

/** The memory that a text makes as it stands: no word of it is changed. */
export function memoryFromWords(text: string, given: Given = {}): WordedMemory {
  const body = text.trim();
  const line =
    body
      .split("\n", 1)[0]
      ?.replace(/^#+\s*/, "")
      .replace(/\s+/g, " ") ?? "";
  const sentence = /^.+?[.!?。！？](?=\s|$|[\p{Script=Han}])/u.exec(line)?.[0] ?? line;
  const words = sentence.split(" ").slice(0, NAME_WORDS).join(" ");
  const wanted = given.type ?? guessedType(line);
  const lacksReason = wanted === "feedback" && missingParts(body).length > 0;
  return {
    type: lacksReason ? "project" : wanted,
    name: given.name ?? beginning(words.replace(/[\p{P}\s]+$/u, ""), NAME_SIGNS),
    description: given.description ?? beginning(sentence, memoryLimits.descriptionCharacters),
    body,
    isGuessed: given.type === undefined,
    lacksReason,
  };
}

/** The text of a rule with its reason and how to apply it, in the form that feedback has. */
export const withReason = (rule: string, why: string, how: string) =>
  `${rule.trim()}\n\n**Why:** ${why.trim()}\n**How to apply:** ${how.trim()}`;
