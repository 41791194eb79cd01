// What takes longer than Claude Code waits for an answer: it is told so, and asks again for the same.
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../lib/index.ts";
import type { ModsOp } from "./model.ts";

/** Claude Code ends a request after 30 s. */
const ANSWER_WITHIN_MS = 20 * SECOND;
/** Who never asks again is forgotten with the others. */
const REMEMBERED = 50;

const later = { isUnderway: true };

/** One piece of work a session. Asked with `{ again: true }` it waits on for what is under way, and begins nothing. */
export function inInstalments(op: ModsOp, withinMs: number = ANSWER_WITHIN_MS): ModsOp {
  const underway = new Map<string, ReturnType<ModsOp>>();
  return async (asker, body) => {
    const { session } = asker;
    const work = body.again === true ? underway.get(session) : op(asker, body);
    if (work === undefined) return undefined;
    if (underway.size >= REMEMBERED) underway.clear();
    underway.set(session, work);
    const waited = new AbortController();
    const late = sleep(withinMs, later, { signal: waited.signal, ref: false });
    let told: object | undefined;
    try {
      told = await Promise.race([work, late]);
      return told;
    } finally {
      waited.abort();
      if (told !== later) underway.delete(session);
    }
  };
}
