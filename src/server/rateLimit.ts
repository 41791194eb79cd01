// Limits how often something may happen: a bucket for each name, which fills with time.
import { BoundedMap, type Clock, SECOND } from "../lib/index.ts";

const MOST_NAMES = 10_000;

interface RateLimit {
  /** Seconds to wait; undefined when it may happen now, which is then counted. */
  take(name: string): number | undefined;
}

/** At most `burst` at once, and `perMinute` in the long run. */
export function makeRateLimit(
  clock: Clock,
  { burst, perMinute }: { burst: number; perMinute: number },
): RateLimit {
  const buckets = new BoundedMap<string, { left: number; at: number }>(MOST_NAMES);
  const perMs = perMinute / (60 * SECOND);
  return {
    take(name) {
      const now = clock.now();
      const { left, at } = buckets.get(name) ?? { left: burst, at: now };
      const filled = Math.min(burst, left + Math.max(0, now - at) * perMs);
      if (filled < 1) return Math.max(1, Math.ceil((1 - filled) / perMs / SECOND));
      buckets.set(name, { left: filled - 1, at: now });
      return undefined;
    },
  };
}
