// What a session's requests cost, and what edits saved.
import { activeEntries, type LedgerEntry } from "../ledger/index.ts";
import { sumOf } from "../lib/index.ts";
import { promptTokens } from "../messages/index.ts";
import { findModel, type ModelOverrides, priceFor } from "../tokens/index.ts";
import type { Conversation } from "../transcript/index.ts";
import { isCompaction, windowEvents } from "./events.ts";
import type { Savings, SessionCost } from "./model.ts";
import { type InspectedSession, readTraces, sessionCost } from "./view.ts";

export interface ComputedAccount {
  /** Absent when the transcript is gone. */
  readonly cost?: SessionCost;
  readonly saved: Omit<Savings, "cacheShare" | "isCounting">;
}

const MILLION = 1_000_000;

const savedBy = ({ tokens }: LedgerEntry) => (tokens ? Math.max(0, tokens.before - tokens.after) : 0);

/** When the window was started anew, by the agent or by an edit: its earlier content is in no later request. */
function beginnings(entries: readonly LedgerEntry[], conversation: Conversation) {
  const own = conversation.boundaries.flatMap(({ kind, at }) =>
    kind === "compact" && at !== undefined ? at : [],
  );
  return [...own, ...entries.filter(isCompaction).map(({ at }) => Date.parse(at))];
}

/**
 * An edit saves its tokens once for every request that follows it in the same window, at what the model takes for reading
 * them from its cache: they would have been in there. A compaction is counted without money, since the agent would have
 * made one too.
 */
function dollarsSaved(entries: readonly LedgerEntry[], conversation: Conversation, models: ModelOverrides) {
  const begun = beginnings(entries, conversation);
  const requests = conversation.requests.flatMap(({ at, usage, model }) => {
    const known = model === undefined ? undefined : findModel(model, models);
    if (at === undefined || !known || promptTokens(usage) === 0) return [];
    return { at, price: priceFor(known, promptTokens(usage)).cacheRead };
  });
  const savings = entries
    .filter((entry) => !isCompaction(entry))
    .map((entry) => {
      const from = Date.parse(entry.at);
      const until = Math.min(...begun.filter((at) => at > from), Number.POSITIVE_INFINITY);
      const prices = requests.filter(({ at }) => at > from && at < until).map(({ price }) => price);
      return (savedBy(entry) * sumOf(prices, (price) => price)) / MILLION;
    });
  return sumOf(savings, (dollars) => dollars);
}

/** As the chart of the window shows them: those of Throughline and those of the agent, each once. */
function compactionsIn(entries: readonly LedgerEntry[], conversation: Conversation | undefined) {
  return windowEvents(conversation, entries, []).filter(({ kind }) => kind === "compaction").length;
}

function savingsOf(
  all: readonly LedgerEntry[],
  conversation: Conversation | undefined,
  models: ModelOverrides,
) {
  const entries = activeEntries(all);
  return {
    tokens: Math.round(sumOf(entries, savedBy)),
    dollars: conversation ? dollarsSaved(entries, conversation, models) : 0,
    compactions: compactionsIn(entries, conversation),
    results: entries.filter(({ edit }) => edit.kind === "replace-result").length,
  };
}

export async function computeAccount(session: InspectedSession): Promise<ComputedAccount> {
  const { models } = session;
  const { conversation, entries } = await readTraces(session);
  return {
    ...(conversation && { cost: sessionCost(conversation, models) }),
    saved: savingsOf(entries, conversation, models),
  };
}
