// The time an answering hook may take in all, counted from its first line.

const ANSWER_WITHIN_MS = 250;

export interface Deadline {
  /** Milliseconds that are left, 0 when none are. */
  left(): number;
}

export function startDeadline(total = ANSWER_WITHIN_MS): Deadline {
  // Not the time of day: that can jump.
  const start = process.hrtime();
  return {
    left() {
      const [seconds, nanoseconds] = process.hrtime(start);
      return Math.max(0, total - seconds * 1_000 - nanoseconds / 1_000_000);
    },
  };
}
