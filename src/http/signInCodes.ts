// One-time sign-in codes: made over the worker's socket, accepted once from a browser.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Clock, isoTime, MINUTE } from "../lib/index.ts";

const CODE_BYTES = 32;
const LIFE_MS = 2 * MINUTE;
const MOST_OPEN = 16;
/** More than a person mistypes, far fewer than guessing needs. */
const WRONG_A_MINUTE = 30;

export interface SignInCode {
  readonly code: string;
  /** ISO time. */
  readonly expiresAt: string;
}

export type SignInCodes = ReturnType<typeof makeSignInCodes>;

const digest = (code: string): Buffer => hash("sha256", code, "buffer");

export function makeSignInCodes(clock: Clock) {
  let open: { readonly code: Buffer; readonly until: number }[] = [];
  let wrong = { since: 0, count: 0 };
  return {
    invite(): SignInCode {
      const code = randomBytes(CODE_BYTES).toString("base64url");
      const until = clock.now() + LIFE_MS;
      open = [...open, { code: digest(code), until }].slice(-MOST_OPEN);
      return { code, expiresAt: isoTime(until) };
    },
    /** A code is accepted once. After many wrong ones none is checked for the rest of the minute. */
    redeem(code: string) {
      const now = clock.now();
      if (now - wrong.since >= MINUTE) wrong = { since: now, count: 0 };
      if (wrong.count >= WRONG_A_MINUTE) return "too-many";
      open = open.filter(({ until }) => until > now);
      const given = digest(code);
      // All are compared, so that the time does not reveal how many there are.
      const meant = open.filter((one) => timingSafeEqual(one.code, given));
      open = open.filter((one) => !meant.includes(one));
      if (meant.length > 0) return "good";
      wrong = { ...wrong, count: wrong.count + 1 };
      return "wrong";
    },
  };
}
