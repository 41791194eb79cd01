// What may stand between a name and its value, in files, code, commands, tables and sentences.
import { BoundedMap } from "../../lib/index.ts";
import { matchAt, type Range } from "../found.ts";

export interface Separated {
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
export function leadOf(text: string, at: number) {
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
const COMMA = /\\{0,3}["'`]\s{0,4},\s{0,8}(?=\\{0,3}["'`])/y;
const BEFORE_COMMA = /\(\s{0,4}(?:["'`]\w{1,24}["'`]\s{0,2},\s{0,4})?\\{0,3}["'`]$|["'`]-{1,2}$/;

/** A header may name a scheme before the credential. */
const SCHEME = /\\{0,3}["']?\s{0,4}[:=,]\s{0,4}\\{0,3}["']?[A-Za-z][\w-]{1,24}[ \t]{1,2}/y;

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
export function separatorsAfter(text: string, name: Range, lead: string): Separated[] {
  const found: Separated[] = [];
  const written = text.slice(name.start, name.end);
  const scheme = /authorization$/i.test(written) && match(SCHEME, text, name.end);
  if (scheme) found.push({ at: name.end + scheme.length });
  const before = text.slice(Math.max(0, name.start - 60), name.start);
  // The nearest first: what stands further away is judged once it is clear that this is no value.
  const blank = afterBlank(text, name, before, written);
  if (blank) found.push(blank);
  for (const [, pattern, how] of separatorsFor(lead)) {
    const separator = match(pattern, text, name.end);
    if (separator !== undefined && separator !== "") found.push({ at: name.end + separator.length, ...how });
  }
  const comma = match(COMMA, text, name.end);
  if (comma !== undefined && (BEFORE_COMMA.test(before) || written.startsWith("-")))
    found.push({ at: name.end + comma.length });
  const item = written.startsWith("-") ? match(/,\s{1,8}/y, text, name.end) : undefined;
  if (item !== undefined) found.push({ at: name.end + item.length });
  return found;
}
