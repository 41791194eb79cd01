// One-time codes: made for whoever can ask over the socket, taken once from a browser that wants to sign in.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Clock, MINUTE } from "../lib/index.ts";

const CODE_BYTES = 32;
const LIFE_MS = 2 * MINUTE;
const MOST_OPEN = 16;
/** Far more than a person mistypes, far fewer than any guessing needs. */
const WRONG_A_MINUTE = 30;

export interface SignInCode {
  readonly code: string;
  /** ISO time. */
  readonly expiresAt: string;
}

export interface SignInCodes {
  invite(): SignInCode;
  /** A code is good once. After many wrong ones none is looked at for the rest of the minute. */
  redeem(code: string): "good" | "wrong" | "too-many";
}

const digest = (code: string): Buffer => hash("sha256", code, "buffer");

export function makeSignInCodes(clock: Clock): SignInCodes {
  let open: { readonly code: Buffer; readonly until: number }[] = [];
  let wrong = { since: 0, count: 0 };
  return {
    invite() {
      const code = randomBytes(CODE_BYTES).toString("base64url");
      const until = clock.now() + LIFE_MS;
      open = [...open, { code: digest(code), until }].slice(-MOST_OPEN);
      return { code, expiresAt: new Date(until).toISOString() };
    },
    redeem(code) {
      const now = clock.now();
      if (now - wrong.since >= MINUTE) wrong = { since: now, count: 0 };
      if (wrong.count >= WRONG_A_MINUTE) return "too-many";
      open = open.filter(({ until }) => until > now);
      const given = digest(code);
      // Every one is compared, so that the time tells nothing of how many there are or which was near.
      const meant = open.filter((one) => timingSafeEqual(one.code, given));
      open = open.filter((one) => !meant.includes(one));
      if (meant.length > 0) return "good";
      wrong = { ...wrong, count: wrong.count + 1 };
      return "wrong";
    },
  };
}
