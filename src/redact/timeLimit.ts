// A limit on the time that the redaction of one event may take, checked between its steps.

import { mark } from "./marks.ts";

/** What stands for a text whose redaction was stopped. */
export const OVERDUE_MARK = mark("took too long");

/** Thrown when the limit is reached. Its message holds nothing of the text. */
export class RedactionOverdue extends Error {
  constructor(ms: number, rule: string) {
    super(`redaction took longer than ${ms} ms and was stopped at the rule "${rule}"`);
  }
}

export interface TimeLimit {
  /** Throws RedactionOverdue once the time is up. */
  check(rule: string): void;
}

/** The processor time of this process: what it did not get of a busy machine does not count. */
function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A limit that begins now. `now` gives milliseconds. */
export function timeLimit(ms: number, now: () => number = processorMs): TimeLimit {
  const began = now();
  return {
    check(rule) {
      if (now() - began > ms) throw new RedactionOverdue(ms, rule);
    },
  };
}
