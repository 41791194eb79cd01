// A scope as every engine reads it: its times checked, and one that names nothing refused.
import { defined, sha256, ThroughlineError } from "../../lib/index.ts";
import type { Scope } from "../model.ts";
import type { Row } from "./rows.ts";

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

/** Whether a row was forgotten, by the marks that forgetting left. Costs nothing while nothing was ever forgotten. */
export function forgottenBy(marks: readonly Row[]) {
  return (session: string, project: string, epoch: number) => {
    if (marks.length === 0) return false;
    const hashes = { session: sha256(session), project: sha256(project) };
    return marks.some(
      (mark) =>
        (mark.session_hash === null || mark.session_hash === hashes.session) &&
        (mark.project_hash === null || mark.project_hash === hashes.project) &&
        (mark.from_epoch === null || epoch >= Number(mark.from_epoch)) &&
        epoch < Number(mark.to_epoch),
    );
  };
}
