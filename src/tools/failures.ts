// A failure as a model reads it: what happened, and what can be done.
import { errorText, ThroughlineError } from "../lib/index.ts";

export function describeFailure(error: unknown): string {
  const fix = error instanceof ThroughlineError ? error.fix : undefined;
  return fix === undefined ? errorText(error) : `${errorText(error)} (${fix})`;
}
