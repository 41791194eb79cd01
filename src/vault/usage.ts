// Refusing what was asked for in a way that says how to ask for it.
import { ThroughlineError } from "../lib/index.ts";

export function usageError(message: string, fix: string): ThroughlineError {
  return new ThroughlineError("usage", message, { fix });
}

/** Throws for a number that cannot count anything. */
export function checkCounts(counts: { readonly [name: string]: number | undefined }): void {
  for (const [name, value] of Object.entries(counts)) {
    if (value === undefined || (Number.isInteger(value) && value >= 0)) continue;
    throw usageError(`${name} is ${value}.`, "Give a whole number that is not negative.");
  }
}
