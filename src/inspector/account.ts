// What a session's requests cost, and what edits saved.
import { existsSync } from "node:fs";
import { activeEntries, type LedgerEntry, openLedger } from "../ledger/index.ts";
import { promptTokens } from "../messages/index.ts";
import { findModel, type ModelOverrides, priceFor } from "../tokens/index.ts";
import { type Conversation, readConversation } from "../transcript/index.ts";
import { isCompaction } from "./events.ts";
import type { SessionCost } from "./model.ts";
import { type InspectedSession, sessionCost } from "./view.ts";

interface Saved {
  readonly tokens: number;
  readonly dollars: number;
  readonly compactions: number;
  readonly results: number;
}

export interface ComputedAccount {
  /** Absent when the transcript is gone. */
  readonly cost?: SessionCost;
  readonly saved: Saved;
}

const MILLION = 1_000_000;

const savedBy = ({ tokens }: LedgerEntry) =>
  tokens === undefined ? 0 : Math.max(0, tokens.before - tokens.after);

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
    if (at === undefined || known === undefined || promptTokens(usage) === 0) return [];
    return { at, price: priceFor(known, promptTokens(usage)).cacheRead };
  });
  return entries
    .filter((entry) => !isCompaction(entry))
    .reduce((sum, entry) => {
      const from = Date.parse(entry.at);
      const until = Math.min(...begun.filter((at) => at > from), Number.POSITIVE_INFINITY);
      const prices = requests.filter(({ at }) => at > from && at < until).map(({ price }) => price);
      return sum + (savedBy(entry) * prices.reduce((all, price) => all + price, 0)) / MILLION;
    }, 0);
}

function savingsOf(
  all: readonly LedgerEntry[],
  conversation: Conversation | undefined,
  models: ModelOverrides,
): Saved {
  const entries = activeEntries(all);
  return {
    tokens: Math.round(entries.reduce((sum, entry) => sum + savedBy(entry), 0)),
    dollars: conversation === undefined ? 0 : dollarsSaved(entries, conversation, models),
    compactions: entries.filter(isCompaction).length,
    results: entries.filter(({ edit }) => edit.kind === "replace-result").length,
  };
}

export async function computeAccount({
  transcript,
  ledger,
  models,
}: InspectedSession): Promise<ComputedAccount> {
  const isThere = transcript !== undefined && existsSync(transcript);
  const conversation = isThere ? await readConversation(transcript) : undefined;
  const entries = ledger === undefined ? [] : openLedger(ledger).entries();
  return {
    ...(conversation === undefined ? {} : { cost: sessionCost(conversation, models) }),
    saved: savingsOf(entries, conversation, models),
  };
}
