// Long work in small pieces: whoever waits at the socket gets a turn before it has waited for long.
import { setImmediate as nextTurn } from "node:timers/promises";

const LONGEST_HOLD_MS = 10;

/** To be awaited between two pieces of work; costs nothing while nobody has been held up. */
export function fairTurns(): () => Promise<void> {
  let heldSince = performance.now();
  return async () => {
    if (performance.now() - heldSince < LONGEST_HOLD_MS) return;
    await nextTurn();
    heldSince = performance.now();
  };
}
