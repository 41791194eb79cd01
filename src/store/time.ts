// Times as the store keeps them: milliseconds, and the same instant in ISO.

export interface Instant {
  readonly iso: string;
  readonly epoch: number;
}

export function instant(epoch: number): Instant {
  return { iso: new Date(epoch).toISOString(), epoch };
}

/** A time that cannot be read becomes `fallback`: an event with a broken clock is still an event. */
export function instantOf(at: string, fallback: number): Instant {
  const epoch = Date.parse(at);
  return instant(Number.isNaN(epoch) ? fallback : epoch);
}
