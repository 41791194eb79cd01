// The shape of everything that works in the background of a worker.
import type { CapturedEvent } from "../spool/index.ts";

export interface BackgroundJob {
  start?(): void;
  /** Events were stored. */
  note?(events: readonly CapturedEvent[]): void;
  /** Whether it is at work, so that the worker neither stops nor releases memory. */
  busy?(): boolean;
  /** Finishes or interrupts what is in hand; nothing is begun afterwards. */
  stop(): Promise<void>;
}
