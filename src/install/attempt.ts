// Looks that may fail one by one: what throws becomes a failed check, and the others go on.
import { errorText, ThroughlineError } from "../lib/index.ts";
import type { FailedCheck } from "./facts.ts";

export interface Checks {
  readonly failed: readonly FailedCheck[];
  /** What `look` gives, or `otherwise` when it throws. */
  attempt<T>(check: string, look: () => T, otherwise: T): T;
  /** The same for a look that takes time. */
  attemptLater<T>(check: string, look: () => Promise<T>, otherwise: T): Promise<T>;
}

export function makeChecks(): Checks {
  const failed: FailedCheck[] = [];
  const note = (check: string, error: unknown): void => {
    const fix = error instanceof ThroughlineError ? error.fix : undefined;
    failed.push({ check, problem: errorText(error), ...(fix === undefined ? {} : { fix }) });
  };
  return {
    failed,
    attempt: (check, look, otherwise) => {
      try {
        return look();
      } catch (error) {
        note(check, error);
        return otherwise;
      }
    },
    attemptLater: async (check, look, otherwise) => {
      try {
        return await look();
      } catch (error) {
        note(check, error);
        return otherwise;
      }
    },
  };
}
