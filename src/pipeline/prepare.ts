// `prepare`, called before every request: plans what to send, commits it to the ledger, returns messages and receipt.

import type { SessionNotes } from "../compact/index.ts";
import { type LookCounts, learnedTtl, withCuts } from "../economics/index.ts";
import { type Applied, apply, type RequestParams } from "../ledger/index.ts";
import {
  appliedEdits,
  assertValid,
  assertWithinLimits,
  clearedTokens,
  managementOf,
  paramsFor,
  validHistory,
} from "../legality/index.ts";
import { defined, type JsonObject, systemClock } from "../lib/index.ts";
import {
  type History,
  type Message,
  type Provenance,
  putBackBreakpoints,
  type Received,
  type Repair,
  readUsage,
} from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import type { CompactionMaterial, ReadySummary, SessionExtras } from "./autocompact/candidates.ts";
import { type CompactNow, type FittedWindow, fitWindow } from "./autocompact/fitWindow.ts";
import { readOn } from "./autocompact/readAhead.ts";
import { cutOnArrival } from "./budget/plan.ts";
import { collapse } from "./collapse/collapse.ts";
import { emptyPlan, type LevelPlan, planLevels, withWithheld } from "./levels.ts";
import { observeLooks } from "./observeRecall.ts";
import { type PlanContext, planContext } from "./planContext.ts";
import { makeReceipt, type Receipt } from "./receipt.ts";
import { commitDrafts, draftOf, tryOut } from "./record.ts";
import type { Session, WindowState } from "./session.ts";

/** The conversation and the request that it is to become. */
export interface PrepareInput {
  readonly session: Session;
  /** The whole conversation, as the client would send it. It is never changed. */
  readonly messages: readonly Message[];
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
  /**
   * The other fields of the request's body. `thinking` decides whether the API may be asked to clear thinking; where
   * `context_management` or `compaction` is there, the API manages the context and the levels that would do the same stand back.
   */
  readonly body?: JsonObject;
  /** Tokens of system prompt and tools, for a caller that knows them better than an estimate. */
  readonly overhead?: number;
  readonly model: string;
  readonly now?: number;
  /** The client's own ids of the messages, where it has any; others are derived from what precedes them. */
  readonly ids?: readonly string[];
  /** What is known of the messages beyond what is sent, by index. */
  readonly provenance?: readonly (Provenance | undefined)[];
  /** Compact now, whatever the size. */
  readonly compact?: CompactNow;
  /** The session's notes: a compaction uses their words where they fit. */
  readonly notes?: SessionNotes;
  /** Words that a model wrote for this compaction: `prepareWithModel` asks for them. */
  readonly summary?: ReadySummary;
  /** What is known of the session beside its messages: attached to a compacted window. */
  readonly surroundings?: SessionExtras;
  /** The agent is working on its own, without a user's turn to answer. */
  readonly proactive?: boolean;
  /** Writes nothing: not the ledger, not the vault, not the session's runtime. */
  readonly dryRun?: boolean;
  /** A subagent's window is its own session, and a summary call belongs to none: neither is edited or remembered. */
  readonly source?: "main" | "subagent" | "compact";
}

/** A request that is ready to be sent. */
export interface Prepared {
  readonly messages: readonly Message[];
  /** The same with their ids: an unchanged message keeps the id it came with. */
  readonly items: History;
  readonly params: RequestParams;
  readonly receipt: Receipt;
}

/** A message of any client that speaks the Messages API: the client's own type goes in and comes out. */
export interface ClientMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** `PrepareInput` with messages of the client's own type. */
export type PrepareFor<M extends ClientMessage> = Omit<PrepareInput, "messages"> & {
  /** The whole conversation, as the client would send it. It is never changed. */
  readonly messages: readonly M[];
};

/** `Prepared` with messages of the client's own type. */
export type PreparedFor<M extends ClientMessage> = Omit<Prepared, "messages"> & {
  /** What to send. The array is shared with the session's runtime and must not be changed. */
  readonly messages: M[];
};

/** A request with everything decided and nothing written: made by `planRequest`, consumed once by `commitRequest`. */
export interface RequestPlan {
  readonly input: PrepareInput;
  /** The client's messages: as received, with ids, and what had to be repaired to make them valid. */
  readonly incoming: {
    readonly received: Received;
    readonly items: History;
    readonly repairs: readonly Repair[];
  };
  /** What the levels looked at. `context.entries` is the ledger that the plan was made for. */
  readonly context: PlanContext;
  /** The window with every planned edit but a compaction. */
  readonly uncompacted: Applied;
  /** What the levels planned, and what each of them withholds. */
  readonly levels: LevelPlan;
  /** The window to send, with the drafts of its ledger entries. */
  readonly fitted: FittedWindow;
}

/**
 * Decides what to send. Throws `unknown-model`, `invalid-history`, `window-too-small`, for a bad `compact` also
 * `not-found`, and read errors of the ledger. Writes nothing to disk; the session's runtime changes only in its caches,
 * so that a plan may be dropped. The same messages, ledger, state and `now` give the same window. The caller owns the
 * messages, which are neither changed nor copied: they must not change before the commit.
 */
type PlanRequest = (input: PrepareInput) => RequestPlan;

/**
 * Writes the plan: removed content to the vault, then the entries to the ledger, then the request to the session's
 * runtime. Plans anew when another process has appended to the ledger since. Throws what `planRequest` throws and write
 * errors; then no entry was recorded. A dry run writes nothing. The returned arrays are shared with the session's runtime
 * and must not be changed.
 */
type CommitRequest = (plan: RequestPlan) => Prepared;

/**
 * Throws `unknown-model`, `invalid-history` and errors of the disk; then nothing was recorded. A request that is prepared
 * again with the same messages gets the same bytes.
 */
export function prepare<M extends ClientMessage = Message>(input: PrepareFor<M>): PreparedFor<M> {
  // Every message that comes out came in, or is one that the Messages API takes from any client.
  return commitRequest(planRequest(input as unknown as PrepareInput)) as unknown as PreparedFor<M>;
}

const isMain = ({ source = "main" }: PrepareInput) => source === "main";
const isRemembered = (input: PrepareInput) => isMain(input) && !input.dryRun;

/** The first half of `prepare`: decides what to send and writes nothing. */
export const planRequest: PlanRequest = (input) => {
  const { session } = input;
  const { runtime } = session;
  const now = input.now ?? systemClock.now();
  const model = lookupModel(input.model, session.models);
  const received = runtime.receive(input.messages);
  const items = runtime.identify(received, input.ids, input.provenance);
  const { history, repairs } = validHistory(items, runtime.lastValid);
  const entries = runtime.entriesOf(session.ledger);
  runtime.restoreWindow(entries, model);
  const applier = isRemembered(input) ? runtime.applier : { apply };
  const management = managementOf(input.body);
  const context = planContext({ session, model, history, entries, now, fixed: input, applier, management });
  const plan = isMain(input) ? planLevels(context, input.compact !== undefined) : emptyPlan;
  const trial = tryOut(
    plan.edits.map((planned) => draftOf(planned, context)),
    context,
  );
  const collapsed = isMain(input) ? collapse(trial, context) : { trial };
  const fitted: FittedWindow = isMain(input)
    ? fitWindow(collapsed.trial, context, materialOf(input), input.compact)
    : { trial };
  const { after } = fitted.trial;
  assertValid(after.items, runtime.lastChecked, model);
  assertWithinLimits(runtime.extentOf(after.items));
  return {
    input,
    incoming: { received, items, repairs },
    context,
    uncompacted: collapsed.trial.after,
    levels: withWithheld(plan, collapsed, fitted.waiting),
    fitted,
  };
};

/** With every attempt another process has recorded its edits; after this many the request no longer waits for them. */
const MOST_ATTEMPTS = 20;

/** The second half of `prepare`: writes a plan to vault and ledger. */
export const commitRequest: CommitRequest = (plan) => commitAttempt(plan, 0);

function commitAttempt(plan: RequestPlan, attempt: number): Prepared {
  const { input, incoming, context, levels, fitted } = plan;
  const { after, drafts } = fitted.trial;
  const known = attempt < MOST_ATTEMPTS ? context.entries.length : Number.POSITIVE_INFINITY;
  if (!input.dryRun && !commitDrafts(input.session, drafts, levels.keep, incoming.repairs, known))
    return commitAttempt(planRequest(input), attempt + 1);
  const receipt = makeReceipt(plan);
  if (isRemembered(input)) rememberRequest(plan);
  const messages = putBackBreakpoints(
    after.messages,
    after.items,
    incoming.items,
    incoming.received.breakpoints,
  );
  return { messages, items: after.items, params: paramsFor(after.params, context.management), receipt };
}

function rememberRequest(plan: RequestPlan) {
  const { input, incoming, context, levels, fitted } = plan;
  const { history } = context;
  const { runtime } = input.session;
  const isFirst = runtime.lastHistory.length === 0;
  runtime.remember(incoming.received, incoming.items, fitted.trial.entries);
  runtime.lastHistory = history;
  runtime.lastValid = incoming.repairs.length === 0 ? history : [];
  runtime.lastSent = fitted.trial.after;
  runtime.lastChecked = fitted.trial.after.items;
  if (levels.keep) runtime.keptHistory = history;
  if (incoming.repairs.length === 0) runtime.saveExtract(history, fitted.trial.after, context.model);
  readOn(input.session, context, fitted.trial.after, isFirst);
  runtime.state = stateAfter(plan);
  observeLooks(input.session, history, context.entries);
}

/** Adds what was offered when the window was last new: what is offered now is compared with it. */
function materialOf(input: PrepareInput): CompactionMaterial {
  const { surroundings } = input;
  const { offers } = input.session.runtime.state;
  if (!surroundings || !offers) return input;
  return { ...input, surroundings: { offersBefore: offers, ...surroundings } };
}

function stateAfter({ input, context, fitted }: RequestPlan): WindowState {
  const { state } = input.session.runtime;
  const offers = input.surroundings?.offersNow;
  const isNew = fitted.compaction !== undefined || state.offers === undefined;
  return {
    ...state,
    lastRequestAt: context.now,
    ...defined({ offers: isNew ? offers : undefined, looks: looksAfter(state.looks, context, fitted) }),
  };
}

function looksAfter(looks: LookCounts | undefined, { tools }: PlanContext, { trial }: FittedWindow) {
  const cut = trial.drafts.flatMap(({ entry }) => cutOnArrival(entry)?.toolUseId ?? []);
  return cut.length === 0
    ? looks
    : withCuts(
        looks ?? {},
        cut.map((id) => tools.get(id) ?? ""),
      );
}

/** A response of the API, for `observe`. */
export interface ObservedResponse {
  readonly session: Session;
  readonly model: string;
  /** The response's `usage`, as the API gave it. */
  readonly usage: unknown;
  /** The response's `context_management`: what the API cleared is not in the usage. */
  readonly contextManagement?: unknown;
  /** The response as a message, when its `output_tokens` are exact. */
  readonly reply?: ClientMessage;
}

/** Call it after every response: calibrates the token count and learns how long the cache lives. */
export function observeResponse(response: ObservedResponse): void {
  const { session, model, reply } = response;
  const counted = readUsage(response.usage);
  if (!counted) return;
  // The size of what was sent, whatever the API took out of it.
  const { runtime } = session;
  runtime.appliedEdits = appliedEdits(response.contextManagement);
  const read = { ...counted, input: counted.input + clearedTokens(runtime.appliedEdits) };
  const counter = runtime.counter(lookupModel(model, session.models));
  counter.observe(
    defined({ messages: runtime.lastSent.messages, usage: read, reply: reply as Message | undefined }),
  );
  runtime.state = {
    ...runtime.state,
    ttl: learnedTtl(read, runtime.state.ttl),
    requests: runtime.state.requests + 1,
    counter: counter.state(),
  };
  session.state.save(runtime.state);
}
