// What is captured and what is kept: pausing, and forgetting with a look before and after.

import type { ForgetReport } from "../forget/index.ts";
import { readScope } from "../forget/index.ts";
import type { Home } from "../home/index.ts";
import { pause, resume } from "../home/index.ts";
import type { Scope } from "../store/index.ts";
import { type Handlers, objectOf, usage } from "./request.ts";
import type { Forgetting, Pausing } from "./wire.ts";

export interface PrivacyParts {
  readonly home: Home;
  /** Shows what would go, or carries it out and looks again. Throws `usage` for a scope that is empty. */
  readonly forget: (scope: Scope, carryOut: boolean) => Promise<ForgetReport>;
}

export const privacyRoutes = ({
  home,
  forget,
}: PrivacyParts): Handlers<"POST /api/pause" | "POST /api/forget"> => ({
  "POST /api/pause": async (c) => {
    const body = await objectOf(c, "`paused`");
    if (body instanceof Response) return body;
    const { paused } = body;
    if (typeof paused !== "boolean") throw usage("paused is true or false");
    if (paused) pause(home);
    else resume(home);
    return c.json({ paused } satisfies Pausing);
  },
  "POST /api/forget": async (c) => {
    const body = await objectOf(c, "what to forget: `session`, `project`, `from`, `to`; `carryOut`");
    if (body instanceof Response) return body;
    return c.json((await forget(readScope(body), body.carryOut === true)) satisfies Forgetting);
  },
});
