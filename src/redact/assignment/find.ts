// Finds secrets by the name they are given to: variables, fields, flags, headers, elements, sentences.
import { type Finder, matchAt, Progress } from "../finder.ts";
import type { Find } from "../found.ts";
import { MARK_START } from "../marks.ts";
import { valueAt } from "./extent.ts";
import { holds } from "./names.ts";
import { isSecretValue, isUuid } from "./values.ts";

/** Words that a secret's name holds somewhere. */
const nameWords: readonly string[] = [
  ...["pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "bearer", "jwt", "cookie"],
  ...["connectionstr", "connection_str", "connstr", "conn_str", "phrase", "kennwort", "contrasena"],
  ...["identified by", "密码", "口令", "密钥", "秘钥", "令牌", "凭证", "私钥"],
];

const NAME_LEFT = 64;
const NAME_RIGHT = /[\w.-]{0,40}/y;

/** Between a name and its value, the most usual first. */
const SEPARATORS: readonly RegExp[] = [
  // name = value, "name": value, ['name'] => value, name := value, name ?= value, name == value
  /\\{0,3}["'`]?\]?\)?\s{0,24}(?:=>|:{1,3}=|[.+?]=|\|\|=|\?\?=|={1,3}|!==?|->|[:：＝])\s{0,24}/y,
  // name: Type = value, name Type = value
  /\s{0,4}[:\s]\s{0,2}(?:[A-Za-z_][\w.<>[\]| ]{0,30}?)\s{0,2}=(?!=)\s{0,4}/y,
  // name: X, value: Y, as in lists of environment variables
  /\\{0,3}["'`]?\s{0,16},?\s{0,16}(?:-\s)?\\{0,3}["']?(?:string_?)?value\\{0,3}["']?\s{0,4}[:=]\s{0,4}/iy,
  // <name>value</name>, <string name="name">value
  /\\{0,3}["']?\s{0,2}>(?:\s{0,16}<string>)?\s{0,24}/y,
  // <key>name</key><string>value
  /<\/key>\s{0,16}<string>/y,
  // | name | value |
  /["'`*]{0,2}\s{1,24}\|\s{1,8}/y,
  // setName("value"), name "value"
  /\(\s{0,4}(?=["'`])/y,
  // A sentence: the name is value, was reset to value, for the database: value. Prompts: name [None]: value
  /["'`*]{0,2}\s{0,4}(?:\bis\b|\bwas\b|\bhas been\b|为|是|改为|改成|设为|设置为|更新为)\s{0,2}(?:now|set|reset|changed|rotated|updated)?\s{0,2}(?:to\b|as\b)?\s{0,2}[:：]?\s{0,4}/y,
  /\s(?:for|of|on)\s[^\n:=：]{1,40}[:：]\s{1,4}/y,
  /\s?\[[^\]\n]{0,40}\]:\s{1,4}/y,
  /[ \t][-–—][ \t]/y,
  // process.env.NAME || "value", os.getenv("NAME") or "value"
  /\\{0,3}["']?[\])]?\s{0,4}(?:\|\||\?\?|\bor\b)\s{0,4}(?=\\{0,3}["'`])/y,
  // gh secret set NAME --body value
  /\s{1,4}(?:--body|-b|--value)[ =]/y,
];

/** name value, where only a blank parts them: after a flag, a set command, or in a table of variables. */
const BLANK = /["'`]?[ \t]{1,24}/y;
const BEFORE_BLANK =
  /(?:^|[\s"'`(])--?[\w-]*$|(?:\b(?:set|setx|ENV|ARG|config|add|put|export)|#\s{0,3}define)\s+(?:-\w+\s+)?[\w/:.@-]*$|\blogin\s+\S{1,80}\s+$|\bidentified by$|^identified by$/i;

const match = (pattern: RegExp, text: string, at: number): string | undefined =>
  matchAt(pattern, text, at)?.[0];

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

const SPACED = /\b(?:api|access|secret|private|encryption|signing|master|service|account|license|auth)[ ]$/i;

/** Where the name around a word begins and ends. */
function nameAround(text: string, index: number, word: string): { start: number; end: number } {
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
  return { start, end: end + (match(NAME_RIGHT, text, end)?.length ?? 0) };
}

/** define("name", "value"), ["--name", "value"]; a list of names is no list of values. */
const COMMA = /\\{0,3}["'`]\s{0,4},\s{0,8}(?=\\{0,3}["'`])/y;
const BEFORE_COMMA = /\(\s{0,4}\\{0,3}["'`]$|["'`]-{1,2}$/;

/** A header may name a scheme before the credential. */
const SCHEME = /\\{0,3}["']?\s{0,4}[:=,]\s{0,4}\\{0,3}["']?[A-Za-z][\w-]{1,24}[ \t]{1,2}/y;

function separatorsAfter(text: string, name: { start: number; end: number }): number[] {
  const ends: number[] = [];
  const scheme = /authorization$/i.test(text.slice(name.start, name.end)) && match(SCHEME, text, name.end);
  if (scheme) ends.push(name.end + scheme.length);
  for (const separator of SEPARATORS) {
    const found = match(separator, text, name.end);
    if (found !== undefined && found !== "") ends.push(name.end + found.length);
  }
  const before = text.slice(Math.max(0, name.start - 60), name.start);
  const written = text.slice(name.start, name.end);
  const comma = match(COMMA, text, name.end);
  if (comma !== undefined && (BEFORE_COMMA.test(before) || written.startsWith("-")))
    ends.push(name.end + comma.length);
  const isTabled = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(written);
  const isSql = /^(?:password|identified by)$/i.test(written);
  const isChinese = /[\u3400-\u9fff]$/.test(written);
  const takesBlank =
    isChinese ||
    BEFORE_BLANK.test(`${before}${/^-/.test(written) ? "-" : ""}`) ||
    /^(?:requirepass|masterauth)$/.test(written);
  const blank = match(BLANK, text, name.end);
  if (blank === undefined) return ends;
  const next = text.charAt(name.end + blank.length);
  const isWide = blank.length > 1 || blank.includes("\t");
  if (takesBlank || (isTabled && isWide) || (isSql && next === "'")) ends.push(name.end + blank.length);
  return ends;
}

/** Names that say too little about an identifier that was drawn at random. */
const UNSURE =
  /^(?:token|key|auth|jwt|(?:session|request|trace|user|device|push|event|tool|message)[-_]?(?:token|key))$/i;

/** What stands under a name, if it is a secret: its kind. */
export function kindUnder(name: string, value: string, isQuoted: boolean): string | undefined {
  const held = holds(name);
  if (held === undefined || !isSecretValue(value, held, isQuoted)) return undefined;
  if (isUuid(value) && UNSURE.test(name)) return undefined;
  // Test runners print it: PASS: TestLogin2.
  if (!isQuoted && /^-*pass$/i.test(name) && !/\d.*[!@#$%^&*]|[!@#$%^&*].*\d/.test(value)) return undefined;
  return held;
}

/** Values without end are skipped in steps, so that a run of thousands of names costs no more than its length. */
const ENDLESS = 1_024;
const STEP = 256;
const progress = new Progress();

function lookForAssignment(text: string, at: number, word: string): Find | undefined {
  if (progress.isPast(at)) return undefined;
  const name = nameAround(text, at, word);
  // A name with two of the words is looked at once.
  progress.reached(name.end);
  const written = text.slice(name.start, name.end);
  // The kind in a mark is no name.
  if (holds(written) === undefined || text.startsWith(MARK_START, name.start - MARK_START.length))
    return undefined;
  for (const from of separatorsAfter(text, name)) {
    const value = valueAt(text, from);
    if (!value) continue;
    const kind = kindUnder(written, text.slice(value.start, value.end), value.isQuoted);
    if (kind !== undefined) return { kind, start: value.start, end: value.end };
    if (value.end - value.start > ENDLESS) progress.reached(value.start + STEP);
  }
  return undefined;
}

export const assignmentFinder: Finder = { name: "assignment", landmarks: nameWords, look: lookForAssignment };
