// Puts together what the levels look at: the conversation, the window, the price and what the regime allows.
import { type Applied, activeEntries, type LedgerEntry } from "../ledger/index.ts";
import { commonStart } from "../lib/index.ts";
import { type History, isUserInput } from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";
import { lastAssistantIn, type PlanContext } from "./plan.ts";
import { cacheOutlook } from "./policy/outlook.ts";
import { legalityOf } from "./policy/regime.ts";
import { broughtBack, pinnedItems } from "./policy/untouchable.ts";
import { type Runtime, thinkingWeight } from "./runtime.ts";
import type { Session } from "./session.ts";

interface ContextParts {
  readonly session: Session;
  readonly runtime: Runtime;
  readonly model: ModelInfo;
  readonly history: History;
  /** What the ledger makes of the history so far. */
  readonly applied: Applied;
  readonly entries: readonly LedgerEntry[];
  readonly now: number;
}

export function planContext(parts: ContextParts): PlanContext {
  const { session, runtime, model, history, applied, entries, now } = parts;
  const view = applied.items;
  const active = activeEntries(entries);
  const repliedAt = history[lastAssistantIn(history)]?.at;
  const outlook = cacheOutlook(runtime.state, now, repliedAt);
  const pinned = pinnedItems(active);
  const weigh = (item: History[number]): number => runtime.weigh(item, model);
  return {
    history,
    view,
    entries,
    active,
    model,
    settings: session.settings,
    now,
    outlook,
    sinceReply: repliedAt === undefined ? outlook.idle : Math.max(0, now - repliedAt),
    legality: legalityOf(model, view, outlook, pinned, runtime.lastInput.in(view, isUserInput)),
    pinned,
    broughtBack: broughtBack(entries, active),
    weigh,
    viewTokens: () => runtime.viewSum.upTo(view, weigh),
    tools: runtime.tools,
    thinkingUpTo: (count) => runtime.thinkingSum.upTo(view, (item) => thinkingWeight(item, weigh), count),
    clearableTokens: (weight) => runtime.clearableSum.upTo(view, weight),
    notKept: () => history.slice(commonStart(runtime.keptHistory, history)),
    fileOf: (toolUseId) => session.results.fileOf(toolUseId),
  };
}
