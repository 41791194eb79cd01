// A scope as every engine reads it: its times checked, and one that names nothing refused.
import { defined, ThroughlineError } from "../../lib/index.ts";
import type { Scope } from "../model.ts";

function checkedEpoch(name: string, at: string) {
  const epoch = Date.parse(at);
  if (!Number.isNaN(epoch)) return epoch;
  throw new ThroughlineError(
    "usage",
    `${name} is not a time: ${at}`,
    "write it like 2026-11-16 or 2026-11-16T09:30:00Z",
  );
}

/** The bounds of a scope in milliseconds. */
export const scopeTimes = ({ from, to }: Scope): { readonly from?: number; readonly to?: number } =>
  defined({
    from: from === undefined ? undefined : checkedEpoch("from", from),
    to: to === undefined ? undefined : checkedEpoch("to", to),
  });

/** Deleting everything by leaving something out must not be possible. */
export function requireScope(scope: Scope) {
  if (Object.values(scope).some((value) => value !== undefined)) return;
  throw new ThroughlineError("usage", "nothing says what to forget", "name a session, a project or a time");
}
