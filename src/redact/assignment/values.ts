// Judges a value that stands where a secret is expected: a secret, or a placeholder, a reference, a type, a word.
import { isWordy } from "../wordy.ts";
import type { Holds } from "./names.ts";

/** Long values are judged by their beginning. */
const VALUE_HEAD_CHARACTERS = 256;

/** Values people write where a real one will stand later. */
const PLACEHOLDER =
  /example|placeholder|change[-_ ]?(?:me|it|this)|your[-_ ]|^your|redacted|dummy|replace[-_ ]?(?:me|with|this)|insert[-_ ]|todo|fixme|not[-_ ]?(?:a[-_ ])?(?:real|set)|sample|xxxx|\*\*\*|\.\.\.|…|•{3}|<[^>]*>|\{\{|\}\}|^(?:my|the|some|test|fake|mock|stub|foo|bar|baz)[-_](?:[a-z]+[-_]?)*\d{0,4}$|lorem|_here$|-here$|secret[-_]?(?:key|token|value)|(?:api|access|auth)[-_]?(?:key|token)(?![A-Za-z0-9]{6})|\bnone\b|unset|hidden|masked|censored|sensitive|encrypted:|^enc\[|^\$ANSIBLE|^vault:|^op:\/\/|^arn:|^ssm:|^secretsmanager|^projects\/|^keychain|^env[:.(]|^file:|^ref\+/i;

/** Words that a password field holds in code, forms, schemas and tests. */
const WEAK =
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|test(?:ing|er)?|admin|user(?:name)?|root|foo|bar|baz|demo|guest|default|string|str|value|val|text|arg|param|data|key|hash|field|input|name|login|mypass(?:word)?|mysecret|mytoken|dbpass(?:word)?|bearer|basic|hidden|null|undefined|true|false|number|optional|required|any|unknown|object|bytes?|utf|base|sha|md|aes|rsa|bcrypt|hs|rs|es|argon|scrypt|oauth|v|abc|asdf|letmein|welcome|step|line|col|item|id|env|config|postgres|mysql|redis|mongo|match|result|res|tmp|other|first|second|prev|next|(?:u?int|float|bigu?int)\d+(?:clamped)?array|[iuf]\d{1,3}|base\d\d|utf-?8)[-_]?[\d!]{0,4}$/i;

/** Words that say what would stand there. */
const TELLTALE = /password|passwd|secret|token|credential|test|login|user|value|string/i;

/** Text that a program fills in later. */
const VALUE_TEMPLATE =
  /^&(?:lt|#x3[cC]|#60);|\$\{|\$\(|\{\{|%\(|#\{|^\$[A-Za-z_]\w*$|^%\w+%$|^%[sdv]$|^\{[\w.:]+\}$|^\[[\w.: -]+\]$/;

/** Code that fetches the value from elsewhere: members, calls, operators. Only where no quotes stand around it. */
const REFERENCE =
  /^\$[A-Za-z_][\w:]*(?:[/.[].*)?$|^[A-Za-z_$][\w$.]*[([]|^![A-Za-z]*$|^[&*@][A-Za-z_][\w.]*$|=>|::|\)$|^[([{]|^\/\/|^--|^\/.*\/[a-z]{0,6}$|\?\.|[\])}][,;.]|&&|\|\||[=!]==|=[[{(]|\?[a-z\d]{1,20}[.:]|;[a-z]{1,20}[.=(&]|^(?:process|os|env|import|self|this|var|local|secrets|config|settings|await|function|return|typeof)\b(?:\.|$)/;

const MEMBERS = /^[A-Za-z_$][\w$]{0,31}(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]{0,31})+(?:[([;,!?|].*)?$/;

/** Names with dots between them, and not the random parts of a token. */
function isMember(value: string) {
  if (!MEMBERS.test(value)) return false;
  const names = value.replace(/[([;,!?|].*$/, "").split(/[.?>:-]+/);
  return names.every((name) => name.length < 12 || !/\d/.test(name) || isWordy(name));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: string) => UUID.test(value);

/** The first that fingers or an alphabet offer. */
const SEQUENCE =
  /^(?:0?1234567\d*|abc(?:def)?(?:gh[a-z]*)?[-_]?\d{0,9}|(?:qwerty|asdf|deadbeef|cafebabe|password|passw0rd)\w{0,4})$/i;

/** Whether hardly anything is left of a value when repeated characters are taken out. */
function isFiller(value: string) {
  const rest = value.replace(/(.)\1{3,}/g, "");
  return rest !== value && new Set(rest).size < 6;
}

export function isPlaceholder(whole: string) {
  const value = whole.slice(0, VALUE_HEAD_CHARACTERS);
  return PLACEHOLDER.test(value) || SEQUENCE.test(value) || isFiller(value);
}

/** Shannon entropy in bits a character. */
function entropy(value: string) {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Whether a text names a place: a file, a folder, an address without credentials, a version, a date. */
function isPlace(value: string) {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return true;
  if (/^(?:v?\d+(?:\.\d+)+|\d{4}-\d\d-\d\d)/.test(value)) return true;
  if (/^(?:sha\d+|md5)[-:]/i.test(value) || /^data:/.test(value)) return true;
  if (!/^(?:[.~]{0,2}\/|[A-Za-z]:\\|[\w@.-]+\/)/.test(value)) return false;
  return value.split(/[/\\]/).every((part) => part === "" || part.length < 3 || isWordy(part));
}

/** Only digits: a number that is no time and no round figure. */
function isNumeric(value: string, shortest: number) {
  if (!/^\d+$/.test(value) || value.length < shortest || new Set(value).size < 5) return false;
  return !/^(?:1[4-9]\d{8}(?:\d{3}|\d{6})?|(?:19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d{1,7})$|0{4}/.test(value);
}

/** What is encoded in base64 and stands for text. */
function isEncodedText(value: string) {
  if (value.length < 8 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]{4,}={1,2}$/.test(value)) return false;
  return /^[\x20-\x7e\s]{4,}$/.test(Buffer.from(value, "base64").toString("latin1"));
}

function isPassword(value: string) {
  if (value.length < 6 || WEAK.test(value)) return false;
  if (TELLTALE.test(value) && (isWordy(value) || /^[A-Za-z_.-]+$/.test(value))) return false;
  if (isEncodedText(value) || isNumeric(value, 8)) return true;
  const hasDigit = /\d/.test(value);
  const hasLetter = /[A-Za-z]/.test(value);
  if (hasDigit && hasLetter) return true;
  if (hasLetter && /[!@#$%^&*?+~=|]/.test(value)) return value.length >= 8 && !/[=|?]$/.test(value);
  return hasLetter && value.length >= 10 && !isWordy(value);
}

function isRandom(value: string) {
  if (value.length < 10) return false;
  if (isNumeric(value, 12)) return true;
  if (value.length < 12 && !(/\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value))) return false;
  if (!/[A-Za-z]/.test(value) || isWordy(value)) return false;
  if (new Set(value).size < 7 || entropy(value) < 2.7) return false;
  if (/\d/.test(value)) return true;
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** Nothing but a generator makes it: long, without the words and signs of names, paths and identifiers. */
function looksGenerated(value: string) {
  if (isUuid(value) || !/^(?:base64:)?[\w+/=-]{16,}$/.test(value) || !/\d/.test(value)) return false;
  if (!isRandom(value)) return false;
  if (/^[a-f\d]+$|^[A-F\d]+$/.test(value)) return value.length >= 32;
  if (value.split(/[-_/:]/).some((part) => /^[A-Z]?[a-z]{3,}$|^[A-Z]{4,}$/.test(part) && isWordy(part)))
    return false;
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
  return isMixed || (value.length >= 24 && !/[-_/]/.test(value));
}

/** All signs that a keyboard has, blanks among them, as generators of salts mix them. */
function isScrambled(value: string) {
  if (value.length < 32 || value.length > 128 || !/^[\x20-\x7e]+$/.test(value)) return false;
  const signs = value.match(/[^A-Za-z0-9\s]/g) ?? [];
  if (new Set(signs).size < 8 || signs.length > value.length / 2) return false;
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 4.6;
}

/** Whether a value is what its name promises. */
export function isSecretValue(whole: string, held: Holds, isQuoted: boolean) {
  if (whole.length > (held === "password" ? 200 : 8_192)) return false;
  const value = whole.slice(0, VALUE_HEAD_CHARACTERS);
  if (isQuoted && isScrambled(value) && !VALUE_TEMPLATE.test(value)) return true;
  if (!/^[\x21-\x7e]+$/.test(value) || /\[redacted:|\\u(?!00)[\da-f]{4}/i.test(value)) return false;
  if (isPlaceholder(value) || VALUE_TEMPLATE.test(value) || isPlace(value)) return false;
  if (!isQuoted && (REFERENCE.test(value) || isMember(value))) return false;
  if (held === "key") return looksGenerated(value);
  return held === "password" ? isPassword(value) : isRandom(value);
}
