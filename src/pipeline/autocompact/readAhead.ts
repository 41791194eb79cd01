// Reads a conversation little by little while it nears its compaction: no request has to read thousands of messages at once.
import { tailStart } from "../../compact/index.ts";
import type { Applied } from "../../ledger/index.ts";
import type { PlanContext } from "../planContext.ts";
import type { Session } from "../session.ts";
import { compactsAt } from "../settings.ts";
import { originalsBefore, originalsIn } from "./cut.ts";

/** Share of the room from which on a compaction is to be expected: a conversation that stays smaller is not read for one. */
const NEAR = 0.5;
/** What a compaction keeps is not read, and a little more, because it may keep it for the sake of whole pairs. */
const TAIL_MARGIN = 1.25;

/** Called after a request with the window that was sent. The first request of a process has enough to do. */
export function readOn({ vault, id }: Session, context: PlanContext, window: Applied, isFirst: boolean) {
  const { history, settings, model, reading, weigh } = context;
  const { enabled, tail } = settings.autocompact;
  reading.keepCovered();
  if (!enabled || isFirst || !reading.isDue(history, history.length)) return;
  const isNear = context.sizeOf(window).tokens >= compactsAt(settings.autocompact, model.window) * NEAR;
  if (!isNear && !reading.isBehind(history)) return;
  const end = originalsBefore(context, window.items, tailStart(window.items, tail * TAIL_MARGIN, weigh));
  if (reading.readOn(history, end)) reading.store(vault, id, originalsIn(context, window.items));
}
