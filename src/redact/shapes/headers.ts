// Finds credentials in HTTP headers and cookies, however they are quoted.
import { isPlaceholder, isSecretValue, isUuid } from "../assignment/values.ts";
import { type Find, type Finder, findAt, matchAt, Progress } from "../found.ts";
import { isWordy } from "../wordy.ts";

const HEADER_RANK = 1;

const AUTH_SCHEME =
  /(?<![A-Za-z0-9_])(Bearer|Basic|Token|ApiKey|SSWS|GenieKey|Digest|Negotiate|Klaviyo-API-Key|DeepL-Auth-Key|Bot)[ \t]{1,3}(?:token=|["'`]\s{0,3}[+.]\s{0,3})?\\{0,3}["'`]?([\w+/=.~:-]{8,8192})/iy;
const AUTHORIZATION =
  /(?:authorization|x-[a-z-]{0,24}(?:key|token|auth)|private-token|job-token)\\{0,3}["']?\s{0,3}[:=,]\s{0,3}\\{0,3}["']?$/i;

function isBasic(value: string) {
  if (!/^[\w+/-]{8,}={0,2}$/.test(value)) return false;
  const decoded = Buffer.from(value, "base64").toString("latin1");
  const colon = decoded.indexOf(":");
  return (
    colon >= 0 && decoded.length > colon + 3 && /^[\x20-\x7e]+$/.test(decoded) && !isPlaceholder(decoded)
  );
}

function isToken(value: string, isInHeader: boolean) {
  if (isPlaceholder(value) || isWordy(value)) return false;
  if (isInHeader) return value.length >= 8 && /[\dA-Z_-]/.test(value);
  return value.length >= 16 && isSecretValue(value, "secret", true);
}

function lookForScheme(text: string, at: number): Find | undefined {
  const match = matchAt(AUTH_SCHEME, text, at);
  if (!match) return undefined;
  const scheme = match[1] ?? "";
  const value = (match[2] ?? "").replace(/[.:]+$/, "");
  const isInHeader = AUTHORIZATION.test(text.slice(Math.max(0, at - 48), at));
  const isBasicScheme = /^basic$/i.test(scheme);
  // "token" and "bot" are words too: they count in a header only.
  if (/^(?:token|bot|digest|negotiate)$/i.test(scheme) && !isInHeader) return undefined;
  if (isBasicScheme ? !isBasic(value) : !isToken(value, isInHeader)) return undefined;
  const end = at + match[0].lastIndexOf(value) + value.length;
  const secret = { start: end - value.length, end };
  return { kind: isBasicScheme ? "basic-auth" : "bearer-token", start: at, end, secret, rank: HEADER_RANK };
}

const COOKIE_LINE = /cookie\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?|(?:\s-b|--cookie)[ =]["']?/iy;
const PAIR = /([\w.!#$%&*+^|~-]{1,64})=([^\s;,"'`\\<>]{8,4096})/g;
const SESSION =
  /sess|sid$|auth|token|jwt|login|remember|identity|ticket|credential|user_session|^__(?:host|secure)-/i;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;

const cookieLines = new Progress();

function lookForCookies(text: string, at: number) {
  if (cookieLines.isPast(at)) return [];
  const line = matchAt(COOKIE_LINE, text, at);
  if (!line) return [];
  const from = at + line[0].length;
  const rest = /[^\n\r"'`]{0,4096}/.exec(text.slice(from, from + 4_096))?.[0] ?? "";
  cookieLines.reached(from + rest.length);
  return [...rest.matchAll(PAIR)].flatMap((pair) => {
    const [whole, name = "", value = ""] = pair;
    if (ATTRIBUTE.test(name) || isPlaceholder(value)) return [];
    const isSession = SESSION.test(name) && !isWordy(value);
    if (!isSession && !(value.length >= 32 && isSecretValue(value, "secret", true))) return [];
    const start = from + pair.index + whole.length - value.length;
    return [findAt("session-cookie", start, value, HEADER_RANK)];
  });
}

const COOKIE_VALUE = /[\w%.:+/=-]{16,4096}/y;

const cookieValues = new Progress();

function lookForSessionCookie(text: string, at: number, literal: string) {
  if (cookieValues.isPast(at)) return undefined;
  const start = at + literal.length;
  const value = /\w/.test(text.charAt(at - 1)) ? undefined : matchAt(COOKIE_VALUE, text, start)?.[0];
  if (value !== undefined) cookieValues.reached(start + value.length);
  if (value === undefined || isUuid(value) || isPlaceholder(value) || isWordy(value)) return undefined;
  return findAt("session-cookie", start, value, HEADER_RANK);
}

export const headerFinders: readonly Finder[] = [
  {
    name: "auth-scheme",
    landmarks:
      "Bearer |Basic |Token |ApiKey |SSWS |GenieKey |Digest |Negotiate |Bot |Klaviyo-API-Key |DeepL-Auth-Key |Bearer\t|Basic\t",
    look: lookForScheme,
  },
  {
    name: "cookie",
    landmarks: "cookie| -b | -b=|--cookie",
    look: lookForCookies,
  },
  {
    name: "session-cookie",
    landmarks:
      "PHPSESSID=|JSESSIONID=|ASP.NET_SessionId=|connect.sid=|laravel_session=|_gh_sess=|user_session=|sessionid=|_session_id=|rack.session=|ci_session=|_gitlab_session=|next-auth.session-token=",
    look: lookForSessionCookie,
  },
];
