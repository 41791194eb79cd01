// The time an answering hook may take in all, counted from its first line.

const ANSWER_WITHIN_MS = 250;

export interface Deadline {
  /** Milliseconds that are left of so many, 0 when none are. */
  left(total?: number): number;
}

export function startDeadline(): Deadline {
  // Not the time of day: that can jump.
  const start = process.hrtime();
  return {
    left(total = ANSWER_WITHIN_MS) {
      const [seconds, nanoseconds] = process.hrtime(start);
      return Math.max(0, total - seconds * 1_000 - nanoseconds / 1_000_000);
    },
  };
}
