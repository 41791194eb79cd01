// How long the last hooks took, from the start of their process until they wrote their event.

/** Enough for a steady 95th percentile, and an afternoon of work. */
const REMEMBERED = 500;

export interface HookTimes {
  /** How many of the last hooks this is about. */
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

export type HookWatch = ReturnType<typeof watchHooks>;

export function watchHooks() {
  let last: number[] = [];
  return {
    note(events: readonly { readonly took?: number }[]) {
      const took = events.flatMap((event) => (Number.isFinite(event.took) ? Number(event.took) : []));
      last = [...last, ...took].slice(-REMEMBERED);
    },
    /** Undefined while no hook has reported its time. */
    times(): HookTimes | undefined {
      const sorted = last.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
      return sorted.length === 0 ? undefined : { count: sorted.length, p50: at(0.5), p95: at(0.95) };
    },
  };
}
