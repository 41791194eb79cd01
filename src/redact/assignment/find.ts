// Finds secrets by the name they are given to (variables, fields, flags, headers, elements, sentences) and by what may stand
// between a name and its value.

import { BoundedMap } from "../../lib/index.ts";
import { type Find, type Finder, findAt, matchAt, Progress, type Range } from "../found.ts";
import { MARK_START } from "../marks.ts";
import { standsOut } from "../wordy.ts";
import { itemsAfter, makerAt, valueAt } from "./extent.ts";
import { type Holds, holds, holdsListed } from "./names.ts";
import { isSecretValue, isUuid } from "./values.ts";

interface Separated {
  /** Where the value begins. */
  readonly at: number;
  /** A sentence leads to it: the value has to stand out. */
  readonly isLoose?: boolean;
  /** Nothing but a blank parts it from the name. */
  readonly isBare?: boolean;
  /** It is the content of an element: a tag or a blank follows. */
  readonly isElement?: boolean;
  /** Both are cells of a table: a line or its beginning stands before the name. */
  readonly isCell?: boolean;
  /** Nothing may follow the value on its line. */
  readonly isAlone?: boolean;
}

/** What it may begin with once blanks, quotes and closing brackets are passed over, in the classes of `leadOf`. */
type Separator = readonly [leads: string, pattern: RegExp, how?: Omit<Separated, "at">];

const ANY = "*";

const alone = { isAlone: true } as const;
const loose = { isLoose: true } as const;

/** The most usual first. */
const SEPARATORS: readonly Separator[] = [
  // name = value, "name": value, ['name'] => value, name := value, name ?= value, **name:** value
  [
    "=:.+?|!-é",
    /\\{0,3}["'`*]{0,3}\]?\)?\s{0,24}(?:=>|:{1,3}=|[.+?]=|\|\|=|\?\?=|={1,3}|!==?|->|[:：＝])\*{0,2}\s{0,24}/y,
  ],
  // name: Type = value, name Type = value
  ["a_:&", /[ \t]{0,4}[: \t][ \t]{0,2}(?:As\s)?(?:&|[A-Za-z_][\w.<>[\]|]{0,30}?)\s{0,2}=(?!=)\s{0,4}/y],
  [":", /\s{0,4}:\s{0,2}&(?:'\w{1,12}\s)?str\s{0,2}=\s{0,4}/y],
  // string Name { get; set; } = value
  ["{", /\s{0,2}\{\s{0,2}get;[^{}\n]{0,30}\}\s{0,2}=\s{0,4}/y],
  // name{"value"}
  ["{", /\{\s{0,4}(?=["'])/y],
  // name: X, value: Y, as in lists of environment variables
  [
    "a_,-",
    /\\{0,3}["'`]?\s{0,16},?\s{0,16}(?:-\s)?\\{0,3}["']?(?:string_?|\w{1,12}:)?value\\{0,3}["']?\s{0,4}[:=]\s{0,4}/iy,
  ],
  // <name>value</name>, <string name="name">value
  [">", /\\{0,3}["']?\s{0,2}>(?:\s{0,16}<string>)?\s{0,24}/y, { isElement: true }],
  ["a_", /(?:\s[\w:.-]{1,40}="[^"\n]{0,80}"){1,4}\s{0,2}>/y, { isElement: true }],
  // <key>name</key><string>value
  ["<", /<\/key>\s{0,16}<string>/y],
  // | name | value |, with the lines of a box too
  ["|é", /["'`*]{0,2}\s{1,40}[|│┃║]\s{1,8}["'`]?/y, { isCell: true }],
  // setName("value"), name "value", :name "value"
  ["(", /\(\s{0,4}(?=["'`])/y],
  [ANY, /[ \t]{1,4}(?=["'`])/y, loose],
  // name: | and the value on the next line, a part of a form with its headers, what a dump of PHP prints
  [":", /["']?\s{0,4}:[ \t]{0,4}(?:!!?\w{1,16}[ \t])?[|>][+-]?\d?[+-]?[ \t]{0,8}\r?\n[ \t]{1,40}/y, alone],
  [":", /["']?\s{0,4}:[ \t]{1,4}(?:!!?|&)\w{1,30}[ \t]{1,2}/y],
  [ANY, /["']\s{0,4}\r?\n(?:[A-Za-z-]{1,40}:[^\n]{0,100}\n){0,3}\r?\n/y, alone],
  ["=", /["']?\]\s{0,2}=>\s{1,40}string\(\d{1,5}\)\s/y],
  // variable "name" { default = value }, "name-oauth": { "host": value }
  ["{", /"\s{0,4}\{[^{}]{0,240}?\b(?:default|value)\s{0,16}=\s{0,4}/y],
  [
    ":",
    /(?<=oauth|token|bearer|auth)\\{0,3}"\s{0,4}:\s{0,4}\{\s{0,16}\\{0,3}"[\w.-]{1,80}\\{0,3}"\s{0,4}:\s{0,4}/iy,
  ],
  // ${name:value}
  [":", /:(?=[^\s{}]{6,200}\})/y],
  // Numbered: Unseal Key 1: value
  ["0", /[ \t]\d{1,2}[ \t]?[:=][ \t]{0,4}/y],
  // A sentence: the name is value, was reset to value, for the database: value. Prompts: name [None]: value
  [
    "aé",
    /["'`*]{0,2}\s{0,4}(?:['’]s\s|\bis\b|\bwas\b|\bhas been\b|\blautet\b|\bist\b|\bes\b|\best\b|\bé\s|это|は|为|是|改为|改成|设为|设置为|更新为)\s{0,2}(?:now|set|reset|changed|rotated|updated)?\s{0,2}(?:(?:to|as)(?=\s))?\s{0,2}[:：]?\s{0,4}/y,
  ],
  ["a", /["'`]\s{1,2}(?:to|as|with)\s{1,2}(?=["'`])/y],
  ["a", /["'`*]{0,2}[ \t]{1,2}(?:to|a|auf|en|zu)[ \t]{1,2}/y, loose],
  // name 0 value, as routers write it; --name … <<< value
  ["0", /[ \t]\d[ \t]{1,2}/y, loose],
  ["a<-", /[^\n<|]{0,60}<<<[ \t]{0,2}/y],
  // credentials: user / value
  ["a:=", /(?:\s(?:are|is)|\s?[:=])\s{1,2}[\w.@+-]{1,60}\s{0,2}[/:|]\s{0,2}/y, loose],
  ["a", /\s(?:for|of|on)\s[^\n:=：]{1,40}[:：]\s{1,4}/y],
  ["a0([é", /[ \t][^\n:=：|]{1,80}[:：][ \t]{1,4}/y, { isLoose: true, isAlone: true }],
  [
    ":a0([é",
    /[^\n:=：|]{0,80}[:：][ \t]{0,8}\r?\n(?:[ \t]{0,8}\r?\n)?[ \t]{0,40}/y,
    { isLoose: true, isAlone: true },
  ],
  ["[", /\s?\[[^\]\n]{0,40}\]:\s{1,4}/y],
  ["-é", /[ \t][-–—][ \t]/y],
  // process.env.NAME || "value", os.getenv("NAME") or "value"
  ["|?a", /\\{0,3}["']?[\])]?\s{0,4}(?:\|\||\?\?|\bor\b)\s{0,4}(?=\\{0,3}["'`])/y],
  // gh secret set NAME --body value, put-parameter --name NAME --value value
  ["-", /["']?\s{1,4}(?:--body|-b|--value|--secret-string)[ =]/y],
];

const LEAD = /[\s"'`*\\\])]{0,64}/y;

/** The class of the first sign after a name: `a` for a letter, `0` for a digit, `é` for what is not ASCII, or itself. */
function leadOf(text: string, at: number) {
  const sign = text.charAt(at + (matchAt(LEAD, text, at)?.[0].length ?? 0));
  if (/[A-Za-z]/.test(sign)) return "a";
  if (/\d/.test(sign)) return "0";
  return sign > "\u007f" ? "é" : sign;
}

/** The separators that can begin so: most names are followed by a word, and then by few of them. */
const byLead = new BoundedMap<string, readonly Separator[]>(1_000);

const separatorsFor = (lead: string) =>
  byLead.remember(lead, () => SEPARATORS.filter(([leads]) => leads === ANY || leads.includes(lead)));

/** name value, where only a blank parts them: after a flag, a set command, or in a table of variables. */
const BLANK = /["'`]?[ \t]{1,40}/y;
const BEFORE_BLANK =
  /(?:^|[\s"'`(])--?[\w-]*$|(?:\b(?:set|setx|setenv|ENV|ARG|config|add|put|export)|#\s{0,3}define)\s+(?:--?\w+\s+){0,2}[\w/:.@-]*$|\blogin\s+\S{1,80}\s+$|\bidentified by$|^identified by$/i;
/** The name begins its line, or the cell of a table. */
const LINE_START = /(?:^|[\n│┃║])[ \t]{0,40}["'`]?$/;
/** define("name", "value"), ["--name", "value"], field("String", "name", "value"); a list of names is no list of values. */
const QUOTED_COMMA = /\\{0,3}["'`]\s{0,4},\s{0,8}(?=\\{0,3}["'`])/y;
const BEFORE_COMMA = /\(\s{0,4}(?:["'`]\w{1,24}["'`]\s{0,2},\s{0,4})?\\{0,3}["'`]$|["'`]-{1,2}$/;

/** A header may name a scheme before the credential. */
const SCHEME_BEFORE_VALUE = /\\{0,3}["']?\s{0,4}[:=,]\s{0,4}\\{0,3}["']?[A-Za-z][\w-]{1,24}[ \t]{1,2}/y;

const match = (pattern: RegExp, text: string, at: number) => matchAt(pattern, text, at)?.[0];

const RUN = /\S{6,64}/y;
const UNLIKE_WORDS = /[\d!@#$%^&*?+~=|]|[a-z][A-Z]|.{20}/;

/** After a blank alone, where what stands before the name or the name itself asks for it. */
function afterBlank(text: string, name: Range, before: string, written: string): Separated | undefined {
  const blank = match(BLANK, text, name.end);
  if (blank === undefined) return undefined;
  const at = name.end + blank.length;
  // Most names are followed by a word of a sentence.
  if (!UNLIKE_WORDS.test(match(RUN, text, at) ?? "")) return undefined;
  const isWide = blank.length > 2 || blank.includes("\t");
  const takesBlank =
    /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$/.test(written) ||
    BEFORE_BLANK.test(`${before}${/^-/.test(written) ? "-" : ""}`) ||
    /^(?:requirepass|masterauth)$/.test(written);
  const isTabled = /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(written) && (isWide || blank.length > 1);
  const isSql = /^(?:password|identified by|psk)$/i.test(written) && /["']/.test(text.charAt(at));
  if (takesBlank || isTabled || isSql) return { at };
  if (isWide && LINE_START.test(before)) return { at, isAlone: true };
  return { at, isLoose: true, isBare: true };
}

/** Every place after a name where its value could begin. */
function separatorsAfter(text: string, name: Range, lead: string) {
  const found: Separated[] = [];
  const written = text.slice(name.start, name.end);
  const scheme = /authorization$/i.test(written) && match(SCHEME_BEFORE_VALUE, text, name.end);
  if (scheme) found.push({ at: name.end + scheme.length });
  const before = text.slice(Math.max(0, name.start - 60), name.start);
  // The nearest first: what stands further away is judged once it is clear that this is no value.
  const blank = afterBlank(text, name, before, written);
  if (blank) found.push(blank);
  for (const [, pattern, how] of separatorsFor(lead)) {
    const separator = match(pattern, text, name.end);
    if (separator !== undefined && separator !== "") found.push({ at: name.end + separator.length, ...how });
  }
  const comma = match(QUOTED_COMMA, text, name.end);
  if (comma !== undefined && (BEFORE_COMMA.test(before) || written.startsWith("-")))
    found.push({ at: name.end + comma.length });
  const item = written.startsWith("-") ? match(/,\s{1,8}/y, text, name.end) : undefined;
  if (item !== undefined) found.push({ at: name.end + item.length });
  return found;
}

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
export function kindUnder(name: string, value: string, isQuoted: boolean) {
  return kindHeld(holds(name), name, value, isQuoted);
}

/** The same for one of several things under a name. */
export const kindListed = (name: string, value: string) => kindHeld(holdsListed(name), name, value, true);

function kindHeld(held: Holds | undefined, name: string, value: string, isQuoted: boolean) {
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
const SCAN_STEP = 256;
const assignmentProgress = new Progress();

/** use X as the password, X is the password. */
const SAID_BEFORE =
  /(\S{8,128})["'`]?[ \t](?:as|is|als|como)[ \t](?:(?:the|your|my|our|a|its|das|la)[ \t])?(?:[a-z]{2,16}[ \t])?$/i;

const SAID = /[ \t](?:as|is|als|como)[ \t]/i;

function isSaidBefore(text: string, name: Range, held: Holds, written: string) {
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
    assignmentProgress.reached(end);
    return [{ kind, start, end }];
  });
}

function lookForAssignment(text: string, at: number, word: string): Find | readonly Find[] | undefined {
  if (assignmentProgress.isPast(at)) return undefined;
  const name = nameAround(text, at, word);
  const written = text.slice(name.start, name.end);
  // The kind in a mark is no name.
  if (text.startsWith(MARK_START, name.start - MARK_START.length)) return undefined;
  const held = heldBy(text, name, written);
  const listed = holdsListed(written);
  if (held === undefined && listed === undefined) return undefined;
  // A name with two of the words is looked at once.
  assignmentProgress.reached(name.end);
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
    if (value.end - value.start > ENDLESS) assignmentProgress.reached(value.start + SCAN_STEP);
  }
  return isSaidBefore(text, name, held, written);
}

export const assignmentFinder: Finder = {
  name: "assignment",
  landmarks: nameWords,
  look: lookForAssignment,
};
