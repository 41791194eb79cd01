// Level 1 for an agent that keeps its conversation itself: one result, judged before the agent stores and sends it.

import { addLooks } from "../../economics/index.ts";
import { activeEntries, type LedgerEntry } from "../../ledger/index.ts";
import { broughtBack, pinnedItems } from "../../legality/index.ts";
import { systemClock } from "../../lib/index.ts";
import { type Block, textOf } from "../../messages/index.ts";
import { isPersisted } from "../../preview/index.ts";
import { estimateText, lookupModel } from "../../tokens/index.ts";
import { type PlannedEdit, wholeResult } from "../planContext.ts";
import { commitDrafts, draftOf } from "../record.ts";
import type { Session } from "../session.ts";
import { type BudgetContext, decideShown, type FreshResult, withText } from "./plan.ts";

/** A tool result that an agent is about to store. */
export interface HostResult {
  readonly toolUseId: string;
  readonly tool: string;
  /** As the agent is about to store it. */
  readonly content: unknown;
  readonly isError: boolean;
  /** The whole text and its file, where the agent put the result away itself and `content` is but a preview of it. */
  readonly whole?: { readonly text: string; readonly file: string };
  /** The agent's own name of the message. */
  readonly item?: string;
}

/** Options of `budgetForHost`. */
export interface HostBudgetOptions {
  readonly model: string;
  readonly now?: number;
}

/** What the agent stores instead. */
export interface HostBudget {
  readonly content: string | readonly Block[];
  readonly entry: LedgerEntry;
}

/**
 * Undefined leaves the result as it is. The whole result is in the vault and the decision in the ledger, as one that
 * the host carries out, before this returns. A result that comes again gets the answer it got before. A file that is
 * read again is not shown as a difference: what the agent still shows of it is not known here.
 */
export function budgetForHost(
  session: Session,
  result: HostResult,
  { model, now = systemClock.now() }: HostBudgetOptions,
): HostBudget | undefined {
  const entries = session.ledger.entries();
  const decided = decidedBefore(entries, result.toolUseId);
  if (decided) return decided;
  const fresh = freshOf(result);
  const shown = decideShown(fresh, contextOf(session, result, model), new Set());
  if (shown.text === fresh.text) return undefined;
  const content = withText(fresh.content, shown.text);
  const { tokenizer } = lookupModel(model, session.models);
  const planned: PlannedEdit = {
    level: "budget",
    by: "host",
    why: shown.why,
    edit: { kind: "replace-result", toolUseId: result.toolUseId, content },
    removed: removedWith(result, fresh, isPersisted(shown.text)),
    tokens: { before: estimateText(fresh.text, tokenizer), after: estimateText(shown.text, tokenizer) },
  };
  const draft = draftOf(planned, { history: [], now });
  const isRecorded = commitDrafts(session, [draft], [], [], entries.length);
  // Another process has recorded something meanwhile, perhaps for this very result.
  return isRecorded ? { content, entry: draft.entry } : budgetForHost(session, result, { model, now });
}

function decidedBefore(entries: readonly LedgerEntry[], toolUseId: string): HostBudget | undefined {
  const entry = activeEntries(entries).findLast(
    ({ edit, level }) => level === "budget" && edit.kind === "replace-result" && edit.toolUseId === toolUseId,
  );
  return entry?.edit.kind === "replace-result" ? { content: entry.edit.content, entry } : undefined;
}

function freshOf({ toolUseId, tool, content, isError, whole, item = "" }: HostResult): FreshResult {
  return {
    item: { id: item, message: { role: "user", content: [] } },
    toolUseId,
    tool,
    input: undefined,
    content: whole ? whole.text : content,
    text: whole ? whole.text : textOf(content),
    isError,
  };
}

/** The agent keeps the conversation: how large its request is, is not known here. */
const USUAL_REQUEST = 100_000;

/**
 * By size alone: nothing but the agent's own compaction takes a result out of such a conversation, so that it stays longer
 * than the levels would let it, and what the model recalls of it is not seen here.
 */
const hostLimits = { resultLimit: 2_500, toolLimits: { Read: 24_000 }, stays: 0 };

function hostSettings({ settings }: Session) {
  return settings.policy === "seed"
    ? settings
    : { ...settings, budget: { ...settings.budget, ...hostLimits } };
}

function contextOf(session: Session, { whole }: HostResult, model: string): BudgetContext {
  const entries = session.ledger.entries();
  const active = activeEntries(entries);
  const { state } = session.runtime;
  return {
    settings: hostSettings(session),
    pinned: pinnedItems(active),
    broughtBack: broughtBack(entries, active),
    view: [],
    model: lookupModel(model, session.models),
    outlook: { ttl: state.ttl },
    looks: addLooks(session.looks, state.looks ?? {}),
    requestTokens: () => USUAL_REQUEST,
    fileOf: (toolUseId) => whole?.file ?? session.results.fileOf(toolUseId),
  };
}

/** A text that lies in a file of the agent's need not lie in another. */
function removedWith({ tool, toolUseId, item, whole }: HostResult, fresh: FreshResult, refers: boolean) {
  const named = item === undefined ? {} : { item };
  return wholeResult(fresh.content, { tool, toolUseId, ...named, asFile: refers && whole === undefined });
}
