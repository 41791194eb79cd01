// The cookie of a browser that has signed in: its expiry time, signed with the token (HMAC).
import { createHmac, timingSafeEqual } from "node:crypto";
import { HOUR, SECOND } from "../lib/index.ts";

const LIFE_MS = 30 * 24 * HOUR;

export interface Sealer {
  readonly port: number;
  readonly token: string;
}

/** Browsers send a cookie to every port of a host: each worker reads only its own. */
const nameFor = (port: number) => `throughline-${port}`;

/** The port is sealed too, so that a cookie of another worker cannot be renamed into one of this. */
function seal({ port, token }: Sealer, until: number) {
  return createHmac("sha256", token).update(`signed in at ${port} until ${until}`).digest();
}

function cookieHeader(port: number, value: string, seconds: number) {
  return `${nameFor(port)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
}

/** The header that signs a browser in. The worker stores nothing of it, so it stays valid after a restart. */
export function signedInCookie(sealer: Sealer, now: number) {
  const until = now + LIFE_MS;
  return cookieHeader(sealer.port, `${until}.${seal(sealer, until).toString("base64url")}`, LIFE_MS / SECOND);
}

export const signedOutCookie = (port: number) => cookieHeader(port, "", 0);

/** Another program on this host may have set a cookie of the same name: one valid one is enough. */
export function signedInUntil(cookies: string | undefined, sealer: Sealer, now: number) {
  const beginning = `${nameFor(sealer.port)}=`;
  return (cookies ?? "")
    .split(/; */)
    .filter((cookie) => cookie.startsWith(beginning))
    .map((cookie) => readSealedCookie(cookie.slice(beginning.length), sealer))
    .find((until) => until !== undefined && until > now && until <= now + LIFE_MS);
}

function readSealedCookie(value: string, sealer: Sealer) {
  const [, digits, given = ""] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const until = Number(digits);
  return timingSafeEqual(Buffer.from(given, "base64url"), seal(sealer, until)) ? until : undefined;
}

/** Whether to renew it, so that a page in daily use is never signed out. */
export const isHalfOver = (until: number, now: number) => until - now < LIFE_MS / 2;
