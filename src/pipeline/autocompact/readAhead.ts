// Reads a conversation little by little while it nears its compaction: no request has to read thousands of messages at once.
import { readAhead, tailStart, transcriptContent } from "../../compact/index.ts";
import type { Applied } from "../../ledger/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import type { HistoryItem } from "../../messages/index.ts";
import type { PlanContext } from "../planContext.ts";
import type { Session } from "../session.ts";
import { originalsBefore, originalsIn } from "./cut.ts";

/** Messages that are read together, and the most that are after a restart or a leap. */
const STEP = 64;
const MOST_AT_ONCE = 128;
/** Share of the room from which on a compaction is to be expected: a conversation that stays smaller is not read for one. */
const NEAR = 0.5;
/** What a compaction keeps is not read, and a little more, because it may keep it for the sake of whole pairs. */
const TAIL_MARGIN = 1.25;

/** Messages after which what was read is put into the vault, which a compaction would have to do at once. */
const STORED_EVERY = 512;

/** Called after a request with the window that was sent. */
export function readOn(session: Session, context: PlanContext, window: Applied, isFirst: boolean): void {
  const { history, settings, model, reading, weigh } = context;
  const { enabled, outputReserve, buffer, tail } = settings.autocompact;
  const { upTo } = reading;
  const read = upTo.at(-1) === history[upTo.length - 1] ? upTo.length : 0;
  // The first request of a process has enough to do.
  if (!enabled || history.length - read < STEP || isFirst) return;
  if (context.sizeOf(window).tokens < (model.window - outputReserve - buffer) * NEAR) return;
  const stays = tailStart(window.items, tail * TAIL_MARGIN, weigh);
  const end = Math.min(originalsBefore(context, window.items, stays), read + MOST_AT_ONCE);
  if (end - read < STEP) return;
  reading.upTo = history.slice(0, end);
  readAhead(reading.upTo);
  if (end - reading.stored < STORED_EVERY && end > reading.stored) return;
  reading.stored = end;
  try {
    storeAhead(session, context, window);
  } catch (error) {
    // The request is recorded already. The compaction stores what is missing, or says why it cannot.
    if (!(error instanceof ThroughlineError)) throw error;
  }
}

function storeAhead(session: Session, context: PlanContext, window: Applied) {
  const { upTo, exact } = context.reading;
  const originals = originalsIn(context, window.items);
  const leaving = originals.slice(0, originals.lastIndexOf(upTo.at(-1) as HistoryItem) + 1);
  const origin = { session: session.id, level: "autocompact" };
  session.vault.put(transcriptContent(upTo), origin);
  if (leaving.length > 0) session.vault.put(exact.contentOf(leaving), origin);
}
