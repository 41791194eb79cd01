// Compares what a session was billed with what it would have been billed without edits, and stops editing that does not pay.

/** What was spent so far; plain data, kept with the session. */
export interface SpentSoFar {
  /** Dollars that the responses' usage adds up to. */
  readonly measured: number;
  /** Dollars of the same requests as the client made them. */
  readonly counterfactual: number;
  /** Requests in a row after which `measured` was above `counterfactual`. */
  readonly above: number;
}

/** The beginning of a session. */
export const nothingSpent: SpentSoFar = { measured: 0, counterfactual: 0, above: 0 };

/**
 * Requests that a session may run above its counterfactual. A compaction with a warm cache is paid for at once and
 * repays itself within some ten requests; what has not after twice as many is not going to.
 */
const PATIENCE = 20;

/** Rounding of prices is no loss. */
const TOLERANCE = 1e-9;

/** The sums after one more request. Amounts that are no numbers, or negative, count as nothing. */
export function afterRequest(
  spent: SpentSoFar,
  request: { readonly measured: number; readonly counterfactual: number },
): SpentSoFar {
  const measured = spent.measured + amount(request.measured);
  const counterfactual = spent.counterfactual + amount(request.counterfactual);
  const isAbove = measured > counterfactual + TOLERANCE;
  return { measured, counterfactual, above: isAbove ? spent.above + 1 : 0 };
}

function amount(dollars: number) {
  return Number.isFinite(dollars) && dollars > 0 ? dollars : 0;
}

/**
 * Why no new edits are planned; undefined as long as editing pays. The session edits again once the edits on record have
 * brought it below its counterfactual.
 */
export function guardReason({ measured, counterfactual, above }: SpentSoFar) {
  if (above < PATIENCE) return undefined;
  return `no new edits: for ${above} requests this session has cost more than without them ($${measured.toFixed(2)} against $${counterfactual.toFixed(2)})`;
}
