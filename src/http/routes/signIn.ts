// Signing in and out: a one-time code for a cookie, and the cookie taken away again.
import type { Context } from "hono";
import { z } from "zod";
import type { Clock } from "../../lib/index.ts";
import { isHalfOver, type Sealer, signedInCookie, signedInUntil, signedOutCookie } from "../cookie.ts";
import { type Handlers, problem, readBody } from "../request.ts";
import type { SignInCodes } from "../signInCodes.ts";
import type { SignedIn } from "../wire.ts";

export interface SignInParts {
  /** Known once the server listens. */
  readonly sealer: () => Sealer;
  readonly codes: SignInCodes;
  readonly clock: Clock;
}

/** Gives a browser a new cookie where the one it has is old, so that a page in daily use is never signed out. */
export function renewCookie(c: Context, { sealer, clock }: SignInParts) {
  const now = clock.now();
  const until = signedInUntil(c.req.header("cookie"), sealer(), now);
  if (until !== undefined && isHalfOver(until, now)) c.header("Set-Cookie", signedInCookie(sealer(), now));
}

const OPEN_AGAIN = "throughline open";
const signingIn = z.object({ code: z.string().catch("") });

export function signInRoutes({ sealer, codes, clock }: SignInParts) {
  return {
    "POST /api/sign-in": async (c) => {
      const outcome = codes.redeem((await readBody(c, signingIn)).code);
      if (outcome === "too-many") {
        const message = "Too many codes were wrong; none is accepted for a minute.";
        return problem(c, 429, "code-refused", message, `wait a minute, then: ${OPEN_AGAIN}`);
      }
      if (outcome === "wrong") {
        const message = "The code is wrong, was used already, or is older than two minutes.";
        return problem(c, 401, "code-refused", message, OPEN_AGAIN);
      }
      c.header("Set-Cookie", signedInCookie(sealer(), clock.now()));
      return { ok: true } satisfies SignedIn;
    },
    "POST /api/sign-out": (c) => {
      c.header("Set-Cookie", signedOutCookie(sealer().port));
      return { ok: true };
    },
  } satisfies Partial<Handlers>;
}
