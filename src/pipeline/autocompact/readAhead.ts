// Reads a conversation little by little while it nears its compaction: no request has to read thousands of messages at once.
import { readAhead, tailStart } from "../../compact/index.ts";
import type { Applied } from "../../ledger/index.ts";
import type { PlanContext } from "../planContext.ts";
import { originalsBefore } from "./cut.ts";

/** Messages that are read together, and the most that are after a restart or a leap. */
const STEP = 64;
const MOST_AT_ONCE = 128;
/** Share of the room from which on a compaction is to be expected: a conversation that stays smaller is not read for one. */
const NEAR = 0.5;
/** What a compaction keeps is not read, and a little more, because it may keep it for the sake of whole pairs. */
const TAIL_MARGIN = 1.25;

/** Called after a request with the window that was sent. */
export function readOn(context: PlanContext, window: Applied): void {
  const { history, settings, model, reading, weigh } = context;
  const { enabled, outputReserve, buffer, tail } = settings.autocompact;
  const { upTo } = reading;
  const read = upTo.at(-1) === history[upTo.length - 1] ? upTo.length : 0;
  if (!enabled || history.length - read < STEP) return;
  if (context.sizeOf(window).tokens < (model.window - outputReserve - buffer) * NEAR) return;
  const stays = tailStart(window.items, tail * TAIL_MARGIN, weigh);
  const end = Math.min(originalsBefore(context, window.items, stays), read + MOST_AT_ONCE);
  if (end - read < STEP) return;
  reading.upTo = history.slice(0, end);
  readAhead(reading.upTo);
}
