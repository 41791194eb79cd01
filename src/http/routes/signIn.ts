// Signing in and out: a one-time code for a cookie, and the cookie taken away again.
import type { Context } from "hono";
import type { Clock } from "../../lib/index.ts";
import { isHalfOver, type Sealer, signedInCookie, signedInUntil, signedOutCookie } from "../cookie.ts";
import type { SignInCodes } from "../signInCodes.ts";
import { type Handlers, objectOf, problem } from "../request.ts";
import type { SignedIn } from "../wire.ts";

export interface SignInParts {
  /** Known once the face is open. */
  readonly sealer: () => Sealer;
  readonly invitations: SignInCodes;
  readonly clock: Clock;
}

/** Gives a browser a new cookie where the one it has is old, so that a page in daily use is never signed out. */
export function renewCookie(c: Context, { sealer, clock }: SignInParts): void {
  const now = clock.now();
  const until = signedInUntil(c.req.header("cookie"), sealer(), now);
  if (until !== undefined && isHalfOver(until, now)) c.header("Set-Cookie", signedInCookie(sealer(), now));
}

const OPEN_AGAIN = "throughline open";

export function signInRoutes({
  sealer,
  invitations,
  clock,
}: SignInParts): Handlers<"POST /api/sign-in" | "POST /api/sign-out"> {
  return {
    "POST /api/sign-in": async (c) => {
      const body = await objectOf(c, "the code that `throughline open` gave");
      if (body instanceof Response) return body;
      const said = invitations.redeem(typeof body.code === "string" ? body.code : "");
      if (said === "too-many") {
        const message = "Too many codes were wrong; none is looked at for a minute.";
        return problem(c, 429, "code-refused", message, `wait a minute, then: ${OPEN_AGAIN}`);
      }
      if (said === "wrong") {
        const message = "The code is wrong, was used already, or is older than two minutes.";
        return problem(c, 401, "code-refused", message, OPEN_AGAIN);
      }
      c.header("Set-Cookie", signedInCookie(sealer(), clock.now()));
      return c.json({ ok: true } satisfies SignedIn);
    },
    "POST /api/sign-out": (c) => {
      c.header("Set-Cookie", signedOutCookie(sealer().port));
      return c.json({ ok: true });
    },
  };
}
