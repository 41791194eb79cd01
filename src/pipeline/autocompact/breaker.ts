// A model that keeps failing is left alone for a while: the summary that needs none takes over.

/** Failures in a row, and when the last one was. */
export interface Breaker {
  readonly failures: number;
  readonly lastAt: number;
}

interface BreakerLimits {
  /** Failures in a row after which no model is asked. */
  readonly failures: number;
  /** Milliseconds after which one more attempt is made. */
  readonly coolDown: number;
}

export function mayAsk(breaker: Breaker | undefined, limits: BreakerLimits, now: number): boolean {
  if (breaker === undefined || breaker.failures < limits.failures) return true;
  return now - breaker.lastAt >= limits.coolDown;
}

/** After an attempt; undefined when nothing has to be remembered. */
export function breakerAfter(
  breaker: Breaker | undefined,
  failed: boolean,
  now: number,
): Breaker | undefined {
  return failed ? { failures: (breaker?.failures ?? 0) + 1, lastAt: now } : undefined;
}
