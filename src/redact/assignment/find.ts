// Finds secrets by the name they are given to: variables, fields, flags, headers, elements, sentences.
import { type Find, type Finder, findAt, matchAt, Progress, type Range } from "../found.ts";
import { MARK_START } from "../marks.ts";
import { standsOut } from "../wordy.ts";
import { itemsAfter, makerAt, valueAt } from "./extent.ts";
import { type Holds, holds, holdsListed } from "./names.ts";
import { leadOf, type Separated, separatorsAfter } from "./separators.ts";
import { isSecretValue, isUuid } from "./values.ts";

/** Words that a secret's name holds somewhere. */
const nameWords =
  "pass|pwd|pw|secret|token|key|cred|auth|bearer|jwt|cookie|connectionstr|connection_str|connstr|conn_str|phrase|kennwort|identified by|psk|contrase|senha|mot de passe|wachtwoord|parola|heslo|_pat|парол|パスワード|비밀번호|otp|_sk|community|密码|密碼|口令|密钥|密鑰|秘钥|令牌|凭证|私钥";

const NAME_LEFT = 64;
const NAME_RIGHT = /[\w.\-\u00df-\u024f\u0430-\u044f]{0,40}/y;

const isNameCode = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code >= 0x0410 && code <= 0x044f);

const SPACED = /\b(?:api|access|secret|private|encryption|signing|master|service|account|license|auth)[ ]$/i;

/** Where the name around a word begins and ends. */
function nameAround(text: string, index: number, word: string): Range {
  let start = index;
  const least = Math.max(0, index - NAME_LEFT);
  while (start > least && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  // In escaped text the letter after a backslash belongs to the escape.
  if (start > 0 && text.charAt(start - 1) === "\\" && /[nrt]/.test(text.charAt(start))) start += 1;
  const end = index + word.length;
  // "API key" is one name.
  const spaced =
    /^key$/i.test(text.slice(start, end)) && SPACED.exec(text.slice(Math.max(0, start - 16), start));
  if (spaced) start -= spaced[0].length;
  return { start, end: end + (matchAt(NAME_RIGHT, text, end)?.[0].length ?? 0) };
}

/** Names that say too little about an identifier that was drawn at random. */
const UNSURE = /^(?:key|(?:session|request|trace|user|device|push|event|tool|message)[-_]?(?:token|key))$/i;

/** What stands under a name, if it is a secret: its kind. */
export function kindUnder(name: string, value: string, isQuoted: boolean): string | undefined {
  return kindHeld(holds(name), name, value, isQuoted);
}

/** The same for one of several things under a name. */
export const kindListed = (name: string, value: string): string | undefined =>
  kindHeld(holdsListed(name), name, value, true);

function kindHeld(
  held: Holds | undefined,
  name: string,
  value: string,
  isQuoted: boolean,
): string | undefined {
  if (held === undefined || !isSecretValue(value, held, isQuoted)) return undefined;
  if (isUuid(value) && UNSURE.test(name)) return undefined;
  // Test runners print it: PASS: TestLogin2.
  if (!isQuoted && /^-*pass$/i.test(name) && !/\d.*[!@#$%^&*]|[!@#$%^&*].*\d/.test(value))
    return /^-*pass$/.test(name) && standsOut(value) ? held : undefined;
  return held === "password" ? held : "secret";
}

const QUERY_VALUE = /^=[\w%+/:.-]{16}/;

/** A key in the query of an address is one that opens it. */
function heldBy(text: string, name: Range, written: string): Holds | undefined {
  const held = holds(written);
  if (/arn:aws[\w:-]{0,60}:$/.test(text.slice(Math.max(0, name.start - 72), name.start))) return undefined;
  if (held !== "key") return held;
  if (/\bpublic[ \t]$/i.test(text.slice(Math.max(0, name.start - 8), name.start))) return undefined;
  const isInQuery = /^key$/i.test(written) && /[?&]/.test(text.charAt(name.start - 1));
  return isInQuery && QUERY_VALUE.test(text.slice(name.end, name.end + 24)) ? "secret" : held;
}

const isMixed = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value);

const CELL_START = /(?:^|[\n|│┃║])[ \t]{0,24}["'`*]{0,2}$/;
const LINE_REST = /["'`]?[ \t.,;|│┃║]{0,80}(?:\(|\r|\n|\\n|$)/y;

/** Whether what a separator asks of a value is so. */
function isFit(text: string, name: Range, held: Holds, separated: Separated, value: Range) {
  const written = text.slice(value.start, value.end);
  if (separated.isLoose && (held === "key" || !standsOut(written))) return false;
  // "auth 9f86d08" is a commit.
  if (separated.isBare && held === "secret" && !(written.length >= 16 && isMixed(written))) return false;
  if (separated.isCell && !CELL_START.test(text.slice(Math.max(0, name.start - 26), name.start)))
    return false;
  if (separated.isElement && !/[\s<]|^$/.test(text.charAt(value.end))) return false;
  // A long value differs from the words of a sentence even in the middle of a line.
  if (separated.isLoose && value.end - value.start >= 20) return true;
  return !separated.isAlone || matchAt(LINE_REST, text, value.end) !== undefined;
}

/** An endless value is skipped in steps, so that the scan of thousands of names stays linear. */
const ENDLESS = 1_024;
const REST_OF_LINE = 256;
const STEP = 256;
const progress = new Progress();

/** use X as the password, X is the password. */
const SAID_BEFORE =
  /(\S{8,128})["'`]?[ \t](?:as|is|als|como)[ \t](?:(?:the|your|my|our|a|its|das|la)[ \t])?(?:[a-z]{2,16}[ \t])?$/i;

const SAID = /[ \t](?:as|is|als|como)[ \t]/i;

function saidBefore(text: string, name: Range, held: Holds, written: string) {
  const from = Math.max(0, name.start - 180);
  if (!SAID.test(text.slice(Math.max(from, name.start - 48), name.start))) return undefined;
  const said = held === "key" ? null : SAID_BEFORE.exec(text.slice(from, name.start));
  if (!said) return undefined;
  const value = (said[1] ?? "").replace(/^["'`]+|["'`]+$/g, "");
  const start = from + said.index + (said[1] ?? "").indexOf(value);
  const kind = standsOut(value) ? kindHeld(held, written, value, true) : undefined;
  return kind === undefined ? undefined : findAt(kind, start, value);
}

function listUnder(text: string, name: Range, written: string, one: Holds): Find[] {
  return itemsAfter(text, name.end).flatMap(({ start, end }) => {
    const kind = kindHeld(one, written, text.slice(start, end), true);
    if (kind === undefined) return [];
    progress.reached(end);
    return [{ kind, start, end }];
  });
}

function lookForAssignment(text: string, at: number, word: string): Find | readonly Find[] | undefined {
  if (progress.isPast(at)) return undefined;
  const name = nameAround(text, at, word);
  const written = text.slice(name.start, name.end);
  // The kind in a mark is no name.
  if (text.startsWith(MARK_START, name.start - MARK_START.length)) return undefined;
  const held = heldBy(text, name, written);
  const listed = holdsListed(written);
  if (held === undefined && listed === undefined) return undefined;
  // A name with two of the words is looked at once.
  progress.reached(name.end);
  const lead = leadOf(text, name.end);
  const items = listed !== undefined && /[:=]/.test(lead) ? listUnder(text, name, written, listed) : [];
  if (items.length > 0 || held === undefined) return items;
  for (const separated of separatorsAfter(text, name, lead)) {
    const value = valueAt(text, separated.at + makerAt(text, separated.at));
    if (!value || !isFit(text, name, held, separated, value)) continue;
    // What leads into a mark leads to nothing, and a quote that a mark has swallowed was judged with it.
    const behind = value.isOpen ? Math.min(text.length, value.end + REST_OF_LINE) : value.start;
    if (text.slice(name.end, behind).includes(MARK_START)) continue;
    const kind = kindHeld(held, written, text.slice(value.start, value.end), value.isQuoted);
    if (kind !== undefined) return { kind, start: value.start, end: value.end };
    if (value.end - value.start > ENDLESS) progress.reached(value.start + STEP);
  }
  return saidBefore(text, name, held, written);
}

export const assignmentFinder: Finder = {
  name: "assignment",
  landmarks: nameWords,
  look: lookForAssignment,
};
