// Finds credentials in HTTP headers and cookies, however they are quoted.
import { isPlaceholder, isSecretValue, isWordy } from "../assignment/values.ts";
import type { Find } from "../found.ts";

const RANK = 1;

const SCHEME =
  /\b(Bearer|Basic|Token|ApiKey|SSWS|GenieKey|Digest|Negotiate|Klaviyo-API-Key|DeepL-Auth-Key|Bot)[ \t]{1,3}(?:token=)?\\{0,3}["']?([\w+/=.~:-]{8,8192})/gi;
const AUTHORIZATION =
  /(?:authorization|x-[a-z-]{0,24}(?:key|token|auth)|private-token|job-token)\\{0,3}["']?\s{0,3}[:=,]\s{0,3}\\{0,3}["']?$/i;

function isBasic(value: string): boolean {
  if (!/^[\w+/-]{8,}={0,2}$/.test(value)) return false;
  const decoded = Buffer.from(value, "base64").toString("latin1");
  const colon = decoded.indexOf(":");
  return (
    colon >= 0 &&
    decoded.length > colon + 3 &&
    /^[\x20-\x7e\x80-\xff]+$/.test(decoded) &&
    !isPlaceholder(decoded)
  );
}

function isToken(value: string, isInHeader: boolean): boolean {
  if (isPlaceholder(value) || isWordy(value)) return false;
  if (isInHeader) return value.length >= 8 && /[\dA-Z_-]/.test(value);
  return value.length >= 16 && isSecretValue(value, "secret", true);
}

function findSchemes(text: string): Find[] {
  const found: Find[] = [];
  for (const match of text.matchAll(SCHEME)) {
    const scheme = match[1] ?? "";
    const value = (match[2] ?? "").replace(/[.:]+$/, "");
    const isInHeader = AUTHORIZATION.test(text.slice(Math.max(0, match.index - 48), match.index));
    const isBasicScheme = /^basic$/i.test(scheme);
    // "token" and "bot" are words too: they count in a header only.
    if (/^(?:token|bot|digest|negotiate)$/i.test(scheme) && !isInHeader) continue;
    if (isBasicScheme ? !isBasic(value) : !isToken(value, isInHeader)) continue;
    const end = match.index + match[0].lastIndexOf(value) + value.length;
    found.push({
      kind: isBasicScheme ? "basic-auth" : "bearer-token",
      start: match.index,
      end,
      rank: RANK,
    });
  }
  return found;
}

const COOKIE_LINE =
  /(?:\bset-cookie|\bcookie)\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?|(?:\s-b|--cookie)[ =]["']?/gi;
const PAIR = /([\w.!#$%&*+^|~-]{1,64})=([^\s;,"'`\\<>]{8,4096})/g;
const SESSION =
  /sess|sid$|auth|token|jwt|login|remember|identity|ticket|credential|user_session|^__(?:host|secure)-/i;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;

function findCookies(text: string): Find[] {
  const found: Find[] = [];
  for (const line of text.matchAll(COOKIE_LINE)) {
    const from = line.index + line[0].length;
    const rest = /[^\n\r"'`]{0,4096}/.exec(text.slice(from, from + 4_096))?.[0] ?? "";
    for (const pair of rest.matchAll(PAIR)) {
      const [whole, name = "", value = ""] = pair;
      if (ATTRIBUTE.test(name) || isPlaceholder(value)) continue;
      const isSession = SESSION.test(name) && !isWordy(value);
      if (!isSession && !(value.length >= 24 && isSecretValue(value, "secret", true))) continue;
      const start = from + pair.index + whole.length - value.length;
      found.push({ kind: "session-cookie", start, end: start + value.length, rank: RANK });
    }
  }
  return found;
}

const NAMED_COOKIE =
  /\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8}|connect\.sid|laravel_session|_gh_sess|user_session|sessionid|session_id|_session_id|rack\.session|ci_session|_gitlab_session|__Secure-next-auth\.session-token|next-auth\.session-token)=([\w%.:+/=-]{16,4096})/g;

function findNamedCookies(text: string): Find[] {
  return [...text.matchAll(NAMED_COOKIE)].flatMap((match) => {
    const value = match[1] ?? "";
    if (isPlaceholder(value) || isWordy(value)) return [];
    const end = match.index + match[0].length;
    return [{ kind: "session-cookie", start: end - value.length, end, rank: RANK }];
  });
}

export function findHeaders(text: string): Find[] {
  const found: Find[] = [];
  if (/bearer|basic|token|apikey|ssws|geniekey|digest|negotiate|-key |bot /i.test(text))
    found.push(...findSchemes(text));
  if (/cookie|\s-b/i.test(text)) found.push(...findCookies(text));
  if (/sess|\.sid=/i.test(text)) found.push(...findNamedCookies(text));
  return found;
}
