// Takes the block out of a project's pages when it has expired, without waiting for a session to start.
import { HOUR } from "../lib/index.ts";
import { type Page, pages, referenceIn, removeReference } from "./page.ts";

interface Expired {
  readonly removed: readonly Page[];
  /** When the next block expires, in milliseconds since the epoch; undefined where none is left that will. */
  readonly next: number | undefined;
}

/** The snapshot's file stays: the next session's start says what became of it. */
export function expireReferences(project: string, now: number, hours: number): Expired {
  const blocks = pages.flatMap((page) => {
    const at = referenceIn(project, page)?.at;
    return at === undefined ? [] : [{ page, expires: at + hours * HOUR }];
  });
  const removed = blocks
    .filter(({ expires }) => expires <= now)
    .filter(({ page }) => {
      const outcome = removeReference(project, page);
      return "changed" in outcome && outcome.changed;
    });
  const waiting = blocks.flatMap(({ expires }) => (expires > now ? [expires] : []));
  return {
    removed: removed.map(({ page }) => page),
    next: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}
