// Failures among the actions of a turn: those that a change put right, and those that still stand.
import type { Action } from "./actions.ts";

/** A check that failed, and what was done until it passed. */
export interface Fix {
  readonly failed: Action;
  /** Every action that belongs to it: the failures, the changes, the run that passed. */
  readonly actions: readonly Action[];
  readonly files: readonly string[];
  /** It failed before anything was changed, so it is what the turn was about. */
  readonly isOlder: boolean;
}

const shareClass = (a: Action, b: Action): boolean =>
  a.check?.classes.some((one) => b.check?.classes.includes(one)) === true;

export function fixesIn(actions: readonly Action[]): Fix[] {
  const claimed = new Set<Action>();
  const firstChange = actions.findIndex(({ kind }) => kind === "change");
  return actions.flatMap((failed, at) => {
    if (failed.check === undefined || !failed.failed || claimed.has(failed)) return [];
    const passed = actions.findIndex(
      (action, later) => later > at && !action.failed && shareClass(action, failed),
    );
    if (passed < 0) return [];
    const between = actions
      .slice(at, passed + 1)
      .filter((action) => !claimed.has(action) && (action.kind === "change" || shareClass(action, failed)));
    const changes = between.filter(({ kind }) => kind === "change");
    // Nothing was changed: the check passed by itself, which teaches nothing.
    if (changes.length === 0) return [];
    for (const action of between) claimed.add(action);
    const files = [...new Set(changes.flatMap(({ path }) => path ?? []))];
    return [{ failed, actions: between, files, isOlder: firstChange < 0 || at < firstChange }];
  });
}

/** The last word on each kind of check, where it is that the check fails. */
export function stillFailing(actions: readonly Action[]): Action[] {
  const checks = actions.filter(({ check }) => check !== undefined);
  return checks.filter(
    (action, at) => action.failed && !checks.slice(at + 1).some((later) => shareClass(later, action)),
  );
}

/** What failed, in a few words. */
export function failureName({ check }: Action): { readonly subject: string; readonly message: string } {
  return { subject: check?.why?.subject ?? check?.name ?? "", message: check?.why?.message ?? "" };
}
