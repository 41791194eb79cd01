// When a worker that nobody needs may leave, and when it has to.

export interface Surroundings {
  /** Milliseconds since something last happened. */
  readonly quietFor: number;
  /** 0 lets the worker stay for ever. */
  readonly idleMs: number;
  readonly isNeeded: boolean;
  /** False once the socket leads to another worker, or nowhere. */
  readonly holdsSocket: boolean;
}

export type Decision = "stay" | "leave-idle" | "leave-replaced";

export function decide({ quietFor, idleMs, isNeeded, holdsSocket }: Surroundings): Decision {
  // A worker that nobody can reach is of no use, whatever it is doing; what it leaves undone is in the spool.
  if (!holdsSocket) return "leave-replaced";
  return idleMs > 0 && quietFor >= idleMs && !isNeeded ? "leave-idle" : "stay";
}
