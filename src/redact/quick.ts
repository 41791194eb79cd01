// The small scan for hooks: private tags, our own words and unmistakable secrets, before a byte is written.
import { withoutOwnContext } from "../lib/index.ts";
import { valueAt } from "./assignment/extent.ts";
import type { Found } from "./found.ts";
import { hideStretches, MARK_START, mark } from "./marks.ts";
import { privateStretches } from "./privateTags.ts";
import { KnownSecrets } from "./repeats.ts";
import { findPrivateKeys } from "./shapes/pem.ts";
import { compactTokens } from "./tokens/compact.ts";
import { isMadeUp } from "./tokens/madeUp.ts";
import { isWordy } from "./wordy.ts";

const QUICK_DEPTH = 64;
/** Hooks have little time: longer text is cut and marked. The worker reads the rest from the transcript. */
const MAX_TEXT = 4_194_304;

const literal = (start: string) => start.replace(/[.$]/g, "\\$&");

/**
 * What every rule here needs to see before it can hide anything, in lower case. Most payloads hold none of it: then one
 * look does, and no rule is compiled. Where a start is a part of common words its length is asked for too.
 */
const SIGN =
  /<throughline-|private|pass|pwd|secret|token|key|:\/\/|a[ks]ia[a-z\d]{16}|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt)-|xox[a-e\dpr][-.]|xapp-|hooks\.slack\.com|[sr]k_(?:live|test|prod)_|whsec_|sk-[\w-]{19}|aiza|ya29\.|gocspx-|npm_[a-z\d]{36}|pypi-[\w-]{50}|hf_[a-z\d]{30}|sg\.[\w-]{16}|dckr_pat_|dop_v1_|hv[sbr]\.|shp(?:at|ss)_|dapi[a-f\d]{32}|sbp_|atatt3|atbb|eyj[\w-]{8}/;

const hasSign = (text: string) => SIGN.test(text.toLowerCase());

let tokenRule: RegExp | undefined;

function compiledTokenRule() {
  if (!tokenRule) {
    const shapes = compactTokens.map(
      ([, starts, body]) => `(?:${starts.split(" ").map(literal).join("|")})${body}`,
    );
    const before = "(?<=^|[^A-Za-z0-9]|\\\\[nrt]|%[0-9A-F]{2}|\\[[\\d;]{0,8}m)";
    tokenRule = new RegExp(`${before}(?:${shapes.join("|")})`, "g");
  }
  return tokenRule;
}

const URL_PASSWORD = /(:\/\/[^\s:@/"'`<>${}]{0,128}:)([^\s:@/"'`<>${}*]{3,256})(?=@[\w.[-])/g;

function hideTokens(text: string, known: KnownSecrets) {
  const all = compactTokens.flatMap(([kind, starts]) => starts.split(" ").map((start) => ({ kind, start })));
  if (!all.some(({ start }) => text.includes(start))) return text;
  return text.replace(compiledTokenRule(), (token) => {
    // Each begins with one of them: the pattern is made of the same list.
    const rule = all.find(({ start }) => token.startsWith(start));
    if (!rule || isMadeUp(token, rule.start)) return token;
    known.add(token, rule.kind);
    return mark(rule.kind);
  });
}

const NAME = /pass|pwd|secret|token|key/i;
const NAMED_SECRET =
  /(?<!(?:page|csrf|xsrf|cursor|continuation|public|sync)[-_]?)(pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|secret|private|auth|account|encryption|signing)[-_]?key)\\{0,3}["']?\s{0,4}(?:=>|[:=])\s{0,4}/gi;

function isSurelySecret(name: string, value: string) {
  if (value.length < (/^p/i.test(name) ? 8 : 16) || !/\d/.test(value) || !/[A-Za-z]/.test(value))
    return false;
  if (/^\$|^[A-Za-z_]\w*[.([]|[{}()<>]|^[./~]|:\/\/|^[\da-f]{8}-[\da-f]{4}-/i.test(value)) return false;
  return !value.includes(MARK_START.trim()) && !isWordy(value) && !isMadeUp(value, "");
}

/** Values whose name and look leave no doubt; the full scan judges the others. */
function hideNamed(text: string, known: KnownSecrets) {
  if (!NAME.test(text)) return text;
  const named: Found[] = [];
  let at = 0;
  let skip = 0;
  for (const match of text.matchAll(NAMED_SECRET)) {
    if (match.index < skip) continue;
    const value = valueAt(text, match.index + match[0].length);
    const name = match[1] ?? "";
    // An endless run of names is read in steps.
    if (value && value.end > value.start + 1_024) skip = value.start + 256;
    if (!value || value.start < at || !isSurelySecret(name, text.slice(value.start, value.end))) continue;
    const kind = /^p/i.test(name) ? "password" : "secret";
    known.add(text.slice(value.start, value.end), kind);
    named.push({ ...value, kind });
    at = value.end;
  }
  return hideStretches(text, named);
}

/** Shorter than any secret or tag: the names of fields, mostly. */
const SHORTEST_SCANNED = 9;

function quickText(text: string, known: KnownSecrets) {
  if (text.length < SHORTEST_SCANNED || (text.length <= MAX_TEXT && !hasSign(text))) return text;
  const foreign = withoutOwnContext(text);
  const kept = foreign.length > MAX_TEXT ? foreign.slice(0, MAX_TEXT) + mark("too long") : foreign;
  let result = hideStretches(kept, privateStretches(kept));
  if (result.includes("PRIVATE KEY")) result = hideStretches(result, findPrivateKeys(result));
  if (result.includes("://"))
    result = result.replace(URL_PASSWORD, (whole, before: string, password: string) => {
      if (/^(?:pass(?:word)?|pwd|secret|token|x-oauth-basic)$/i.test(password)) return whole;
      known.add(password, "password");
      return before + mark("password");
    });
  return hideNamed(hideTokens(result, known), known);
}

function mapStrings(value: unknown, depth: number, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > QUICK_DEPTH) return mark("nested too deep");
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, depth + 1, map));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, depth + 1, map)]),
  );
}

function quickAny(value: unknown) {
  const known = new KnownSecrets();
  const once = mapStrings(value, 0, (text) => quickText(text, known));
  // What was hidden in one place is hidden in all: the full scan could not recognise it any more.
  return known.isEmpty ? once : mapStrings(once, 0, (text) => hideStretches(text, known.find(text)));
}

function isNested(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isNested(item, levels - 1));
}

/** Whether nothing in it can need hiding: seen in one look at all of its text. */
function isClean(value: unknown) {
  try {
    const text = JSON.stringify(value);
    return text.length <= MAX_TEXT && !hasSign(text) && !isNested(value, QUICK_DEPTH + 1);
  } catch {
    // No JSON: it is taken apart piece by piece.
    return false;
  }
}

/** Hides private text, unmistakable secrets and what Throughline itself said in every string of a JSON value. Never throws. */
export function quickRedact<T>(value: T) {
  try {
    // The shape is kept, only the content of strings changes.
    return isClean(value) ? value : (quickAny(value) as T);
  } catch {
    return mark("unreadable") as T;
  }
}
