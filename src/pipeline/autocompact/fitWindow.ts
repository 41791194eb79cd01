// Makes every request fit: compacts when the window fills up, within guards that end any loop.

import type { Applied, Applier } from "../../ledger/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import type { PlanContext } from "../plan.ts";
import { draftOf, type Trial, tryOut } from "../record.ts";
import type { RequestSize } from "../size.ts";
import { planCompaction } from "./plan.ts";

export interface Fitted {
  readonly trial: Trial;
  /** Why a compaction that was due was not made. */
  readonly waiting?: string;
}

/** A compaction that frees less than this share of the conversation is not worth its cache. */
const LEAST_PROGRESS = 0.1;
/** New messages of this share of the room show that the work goes on. */
const REAL_GROWTH = 0.2;
/** Each further compaction in one turn aims lower, so that what refills the window cannot keep it full. */
const SHRINK = 0.5;

/**
 * The trial with a compaction added when the request passes the threshold. Throws `window-too-small` when system
 * prompt and tools leave no room for a conversation: no request over the window is ever given out.
 */
export function fitWindow(
  trial: Trial,
  context: PlanContext,
  sizeOf: (applied: Applied) => RequestSize,
  applier: Pick<Applier, "apply">,
): Fitted {
  const { enabled, outputReserve, buffer, perTurn } = context.settings.autocompact;
  const window = context.model.window - outputReserve;
  const threshold = window - buffer;
  const size = sizeOf(trial.after);
  const isOver = size.tokens > window || (size.anchored && size.upperBound > context.model.window);
  if (!enabled || (size.tokens <= threshold && !isOver)) return { trial };
  const room = threshold - size.fixed;
  const made = idleCompactions(context, room);
  if (made >= perTurn && !isOver)
    return { trial, waiting: `compacted ${made} times in this turn with little in between` };
  const allowed = Math.floor(room * context.settings.autocompact.target * SHRINK ** made);
  if (allowed < context.settings.autocompact.least) {
    if (isOver) throw tooSmall(size.fixed, context);
    return { trial, waiting: "the window leaves no room for a summary" };
  }
  const planned = planCompaction(context, trial.after.items, allowed);
  const freed = planned?.tokens ? planned.tokens.before - planned.tokens.after : 0;
  if (!planned || (!isOver && freed < size.tokens * LEAST_PROGRESS))
    return { trial, waiting: "a compaction would free too little" };
  const drafts = [...trial.drafts, draftOf(planned, context.history, context.now)];
  const fitted = tryOut(drafts, trial.after, context, applier);
  if (isOver && sizeOf(fitted.after).tokens > window) throw tooSmall(size.fixed, context);
  return { trial: fitted };
}

/**
 * Compactions at the end of this turn that nothing much came after: signs of a loop. A long turn that really brings new
 * messages may be compacted as often as it fills the window.
 */
function idleCompactions({ active, history, legality, view, weigh }: PlanContext, room: number): number {
  const turn = view[legality.turnStart]?.id;
  const start = Math.max(
    0,
    history.findIndex(({ id }) => id === turn),
  );
  const places = new Map(history.map(({ id }, at) => [id, at]));
  let count = 0;
  let end = history.length;
  for (const { edit, tip } of active.toReversed()) {
    if (edit.kind !== "replace-prefix") continue;
    const at = places.get(tip ?? "") ?? -1;
    const grown = history.slice(at + 1, end).reduce((sum, item) => sum + weigh(item), 0);
    if (at < start || grown > room * REAL_GROWTH) break;
    count++;
    end = at + 1;
  }
  return count;
}

function tooSmall(fixed: number, { model }: PlanContext): ThroughlineError {
  return new ThroughlineError(
    "window-too-small",
    `system prompt, tools and the newest messages do not fit into the ${model.window} tokens of ${model.id} (system prompt and tools alone take ${Math.round(fixed)})`,
    { fix: "use fewer tools, a shorter system prompt, or a model with a larger window" },
  );
}
