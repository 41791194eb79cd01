// When a worker that nobody needs rests, when it may leave, and when it has to.
import { SECOND } from "../lib/index.ts";

interface Surroundings {
  /** Milliseconds since something last happened. */
  readonly quietFor: number;
  /** 0 lets the worker stay for ever. */
  readonly idleMs: number;
  readonly isNeeded: boolean;
  /** False once the socket leads to another worker, or nowhere. */
  readonly holdsSocket: boolean;
}

type Decision = "stay" | "leave-idle" | "leave-replaced";

export function decide({ quietFor, idleMs, isNeeded, holdsSocket }: Surroundings): Decision {
  // A worker that nobody can reach is of no use, whatever it is doing; what it leaves undone is in the spool.
  if (!holdsSocket) return "leave-replaced";
  return idleMs > 0 && quietFor >= idleMs && !isNeeded ? "leave-idle" : "stay";
}

interface Rest {
  readonly quietFor: number;
  readonly isBusy: boolean;
  /** Bytes of memory in use. */
  readonly used: number;
  /** As many as there were after the last rest. */
  readonly lean: number;
}

const REST_AFTER_MS = 20 * SECOND;
/** Less is not worth the pause that it takes. */
const WORTH_IT = 4 * 1024 * 1024;

/** A worker is there all day and works for seconds: what it needed for them is given back. */
export function isTimeToRest({ quietFor, isBusy, used, lean }: Rest): boolean {
  return quietFor >= REST_AFTER_MS && !isBusy && used - lean >= WORTH_IT;
}
