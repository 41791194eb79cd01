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

export interface Wanted {
  sizeOf(applied: Applied): RequestSize;
  /** Asked for: tokens that the conversation may take. */
  readonly compactTo: number | undefined;
}

/**
 * The trial with a compaction added when the request passes the threshold, or when one was asked for. Throws
 * `window-too-small` when system prompt and tools leave no room for a conversation: no request over the window is ever
 * given out.
 */
export function fitWindow(
  trial: Trial,
  context: PlanContext,
  wanted: Wanted,
  applier: Pick<Applier, "apply">,
): Fitted {
  const { enabled, outputReserve, buffer } = context.settings.autocompact;
  const window = context.model.window - outputReserve;
  const size = wanted.sizeOf(trial.after);
  const isOver = size.tokens > window || (size.anchored && size.upperBound > context.model.window);
  if (wanted.compactTo !== undefined) return compactedTo(wanted.compactTo, trial, usingAll(context), applier);
  if (!enabled || (size.tokens <= window - buffer && !isOver)) return { trial };
  const allowed = allowedTokens(context, window - buffer - size.fixed, isOver);
  if (typeof allowed === "string") {
    if (isOver) throw tooSmall(size.fixed, context);
    return { trial, waiting: allowed };
  }
  const fitted = compactedTo(allowed, trial, context, applier, isOver ? 0 : size.tokens * LEAST_PROGRESS);
  if (isOver && wanted.sizeOf(fitted.trial.after).tokens > window) throw tooSmall(size.fixed, context);
  return fitted;
}

/** Who names a size wants it used: neither the newest messages nor the summary are held any shorter. */
function usingAll(context: PlanContext): PlanContext {
  const { settings } = context;
  const autocompact = {
    ...settings.autocompact,
    tail: Number.POSITIVE_INFINITY,
    summary: Number.POSITIVE_INFINITY,
  };
  return { ...context, settings: { ...settings, autocompact } };
}

/** Tokens a compacted conversation may take, or why it is not the time for one. */
function allowedTokens(context: PlanContext, room: number, isOver: boolean): number | string {
  const { perTurn, target, least } = context.settings.autocompact;
  const made = idleCompactions(context, room);
  if (made >= perTurn && !isOver) return `compacted ${made} times in this turn with little in between`;
  const allowed = Math.floor(room * target * SHRINK ** made);
  return allowed < least ? "the window leaves no room for a summary" : allowed;
}

function compactedTo(
  allowed: number,
  trial: Trial,
  context: PlanContext,
  applier: Pick<Applier, "apply">,
  leastFreed = 0,
): Fitted {
  const planned = planCompaction(context, trial.after.items, allowed);
  const freed = planned?.tokens ? planned.tokens.before - planned.tokens.after : 0;
  if (!planned || freed <= leastFreed) return { trial, waiting: "a compaction would free too little" };
  const drafts = [...trial.drafts, draftOf(planned, context.history, context.now)];
  return { trial: tryOut(drafts, trial.after, context, applier) };
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
