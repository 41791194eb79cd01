// What was forgotten stays forgotten: marks that keep it from coming back out of a spool file or a transcript.
import { sha256 } from "../../../lib/index.ts";
import type { Scope } from "../../model.ts";
import type { Connection } from "../connection.ts";

/** Covers what happened before `until`; what the same session or project does later is kept again. */
export function markForgotten(db: Connection, scope: Scope, until: number): void {
  const to = scope.to === undefined ? until : Math.min(Date.parse(scope.to), until);
  db.prepare(
    "INSERT INTO forgotten (session_hash, project_hash, from_epoch, to_epoch) VALUES (?, ?, ?, ?)",
  ).run(
    scope.session === undefined ? null : sha256(scope.session),
    scope.project === undefined ? null : sha256(scope.project),
    scope.from === undefined ? null : Date.parse(scope.from),
    to,
  );
}

type IsForgotten = (session: string, project: string, epoch: number) => boolean;

/** Costs nothing while nothing was ever forgotten. */
export function forgottenFilter(db: Connection): IsForgotten {
  const marks = db.prepare("SELECT * FROM forgotten").all();
  if (marks.length === 0) return () => false;
  return (session, project, epoch) => {
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
