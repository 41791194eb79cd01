// Failures among the deeds of a turn: those that a change put right, and those that still stand.
import type { Deed } from "./actions.ts";

/** A check that failed, and what was done until it passed. */
export interface Fix {
  readonly failed: Deed;
  /** Every deed that belongs to it: the failures, the changes, the run that passed. */
  readonly deeds: readonly Deed[];
  readonly files: readonly string[];
  /** It failed before anything was changed, so it is what the turn was about. */
  readonly isOlder: boolean;
}

const shareClass = (a: Deed, b: Deed): boolean =>
  a.check?.classes.some((one) => b.check?.classes.includes(one)) === true;

export function fixesIn(deeds: readonly Deed[]): Fix[] {
  const claimed = new Set<Deed>();
  const firstChange = deeds.findIndex(({ kind }) => kind === "change");
  return deeds.flatMap((failed, at) => {
    if (failed.check === undefined || !failed.failed || claimed.has(failed)) return [];
    const passed = deeds.findIndex((deed, later) => later > at && !deed.failed && shareClass(deed, failed));
    if (passed < 0) return [];
    const between = deeds
      .slice(at, passed + 1)
      .filter((deed) => !claimed.has(deed) && (deed.kind === "change" || shareClass(deed, failed)));
    const changes = between.filter(({ kind }) => kind === "change");
    // Nothing was changed: it came right by itself, and nobody learns from that.
    if (changes.length === 0) return [];
    for (const deed of between) claimed.add(deed);
    const files = [...new Set(changes.flatMap(({ path }) => path ?? []))];
    return [{ failed, deeds: between, files, isOlder: firstChange < 0 || at < firstChange }];
  });
}

/** The last word on each kind of check, where it is that the check fails. */
export function stillFailing(deeds: readonly Deed[]): Deed[] {
  const checks = deeds.filter(({ check }) => check !== undefined);
  return checks.filter(
    (deed, at) => deed.failed && !checks.slice(at + 1).some((later) => shareClass(later, deed)),
  );
}

/** What failed, in a few words. */
export function failureName({ check }: Deed): { readonly subject: string; readonly message: string } {
  return { subject: check?.why?.subject ?? check?.name ?? "", message: check?.why?.message ?? "" };
}
