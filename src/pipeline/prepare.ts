// The call made before every request: what to send, with which parameters, and the account of it.
import type { SessionNotes } from "../compact/index.ts";
import { type Applied, apply, type RequestParams } from "../ledger/index.ts";
import { systemClock } from "../lib/index.ts";
import { type History, type Message, type Provenance, readUsage } from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import type { Material, ReadySummary, Surroundings } from "./autocompact/candidates.ts";
import { type CompactNow, type Fitted, fitWindow } from "./autocompact/fitWindow.ts";
import { collapse } from "./collapse/collapse.ts";
import { emptyPlan, heldBack, makePlan } from "./levels.ts";
import { planContext } from "./planContext.ts";
import { learnedTtl } from "./policy/cacheEconomics.ts";
import { makeReceipt, type Receipt } from "./receipt.ts";
import { putBack } from "./received.ts";
import { commit, draftOf, tryOut } from "./record.ts";
import { runtimeOf } from "./runtime.ts";
import type { Session, WindowState } from "./session.ts";
import { requestSize } from "./size.ts";
import { assertValid, assertWithinLimits, validHistory } from "./validity.ts";

export interface PrepareInput {
  readonly session: Session;
  /** The whole conversation, as the client would send it. It is never changed. */
  readonly messages: readonly Message[];
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
  /** Tokens of system prompt and tools, for a caller that knows them better than an estimate. */
  readonly overhead?: number;
  readonly model: string;
  readonly now?: number;
  /** The client's own names of the messages, where it has any; others are named by what precedes them. */
  readonly ids?: readonly string[];
  /** What is known of the messages beyond what is sent, by index. */
  readonly provenance?: readonly (Provenance | undefined)[];
  /** Compact now, whatever the size. */
  readonly compact?: CompactNow;
  /** The session's notes: a compaction takes their words, where they fit. */
  readonly notes?: SessionNotes;
  /** Words that a model gave for this very compaction: `prepareWithModel` asks for them. */
  readonly summary?: ReadySummary;
  /** What is known of the session beside its messages: a compacted window gets it back. */
  readonly surroundings?: Surroundings;
  /** The agent is working on its own, without a user's turn to answer. */
  readonly proactive?: boolean;
  /** Changes nothing: not the ledger, not the vault, not what is remembered. */
  readonly dryRun?: boolean;
  /** A subagent's window is its own session, and a summary call is nobody's: neither is edited or remembered. */
  readonly source?: "main" | "subagent" | "compact";
}

export interface Prepared {
  readonly messages: readonly Message[];
  /** The same with their names: a message that stands unchanged has the name it came with. */
  readonly items: History;
  readonly params: RequestParams;
  readonly receipt: Receipt;
}

/**
 * Throws `unknown-model` and `invalid-history`, and whatever the disk throws; then nothing was recorded. A request
 * that is prepared again with the same messages gets the same bytes.
 */
export function prepare(input: PrepareInput): Prepared {
  return settle(draw(input));
}

/** A request as it would be: everything is decided, nothing recorded or remembered. */
export function draw(input: PrepareInput) {
  const { session } = input;
  const now = input.now ?? systemClock.now();
  const model = lookupModel(input.model, session.models);
  const runtime = runtimeOf(session);
  const isMain = input.source === undefined || input.source === "main";
  const isReal = isMain && !input.dryRun;
  const received = runtime.receive(input.messages);
  const asSent = runtime.identify(received, input.ids, input.provenance);
  const { history, repairs } = validHistory(asSent, runtime.lastValid);
  const entries = runtime.entriesOf(session.ledger);
  const before = runtime.applier.apply(history, entries);
  const context = planContext({ session, runtime, model, history, applied: before, entries, now });
  const plan = isMain ? makePlan(context, before.tagged, input.compact !== undefined) : emptyPlan;
  const drafts = plan.edits.map((planned) => draftOf(planned, history, now));
  const applier = isReal ? runtime.applier : { apply };
  const levels = tryOut(drafts, before, context, applier);
  const sizeOf = once((applied: Applied) => requestSize(input, runtime, context, applied));
  const collapsed = isMain ? collapse(levels, context, sizeOf, applier) : { trial: levels };
  const wanted = { sizeOf, now: input.compact, material: materialOf(input, runtime.state) };
  const fitted: Fitted = isMain
    ? fitWindow(collapsed.trial, context, wanted, applier)
    : { trial: collapsed.trial };
  assertValid(fitted.trial.after.items, runtime.lastSent.items, model);
  assertWithinLimits(runtime.extentOf(fitted.trial.after.items));
  return {
    input,
    isReal,
    runtime,
    received,
    asSent,
    repairs,
    before,
    context,
    plan,
    collapsed,
    fitted,
    sizeOf,
  };
}

export type Drawn = ReturnType<typeof draw>;

/** With every attempt some process has recorded its edits; a request is not kept waiting for more than these. */
const MOST_ATTEMPTS = 20;

/** Records what was decided, remembers the request, and accounts for it. */
export function settle(drawn: Drawn, attempt = 0): Prepared {
  const { input, isReal, runtime, received, asSent, repairs, before, context, plan, collapsed } = drawn;
  const { trial, waiting, compaction } = drawn.fitted;
  const { after } = trial;
  // Another process has recorded something meanwhile, perhaps the very same: decided anew, with that.
  const known = attempt < MOST_ATTEMPTS ? context.entries.length : Number.POSITIVE_INFINITY;
  if (!input.dryRun && !commit(input.session, trial.drafts, plan, repairs, known))
    return settle(draw(input), attempt + 1);
  const receipt = makeReceipt({
    input,
    runtime,
    context,
    plan: heldBack(plan, collapsed, waiting),
    trial,
    compaction,
    before,
    size: drawn.sizeOf(after),
    repairs,
  });
  if (isReal) {
    runtime.remember(received, asSent, trial.entries);
    runtime.lastHistory = context.history;
    runtime.lastValid = repairs.length === 0 ? context.history : [];
    runtime.lastSent = after;
    if (plan.keep) runtime.keptHistory = context.history;
    runtime.state = stateAfter(drawn);
  }
  const marked = putBack(after.messages, after.items, asSent, received.breakpoints);
  return { messages: marked, items: after.items, params: after.params, receipt };
}

/** What is offered now is held against what was offered when the window was last new. */
function materialOf(input: PrepareInput, { offers }: WindowState): Material {
  const { surroundings } = input;
  if (!surroundings || offers === undefined) return input;
  return { ...input, surroundings: { offersBefore: offers, ...surroundings } };
}

function stateAfter({ input, context, runtime, fitted }: Drawn): WindowState {
  const { state } = runtime;
  const offers = input.surroundings?.offersNow;
  const isNew = offers !== undefined && (fitted.compaction !== undefined || state.offers === undefined);
  return { ...state, lastRequestAt: context.now, ...(isNew ? { offers } : {}) };
}

export interface ObservedResponse {
  readonly session: Session;
  readonly model: string;
  /** The response's `usage`, as the API gave it. */
  readonly usage: unknown;
  /** The response as a message, when its `output_tokens` are exact. */
  readonly reply?: Message;
}

/** Call it after every response: calibrates the token count and learns how long the cache lives. */
export function observeResponse({ session, model, usage, reply }: ObservedResponse): void {
  const read = readUsage(usage);
  if (!read) return;
  const runtime = runtimeOf(session);
  const counter = runtime.counter(lookupModel(model, session.models));
  counter.observe({
    messages: runtime.lastSent.messages,
    usage: read,
    ...(reply ? { reply } : {}),
  });
  runtime.state = {
    ...runtime.state,
    ttl: learnedTtl(read, runtime.state.ttl),
    requests: runtime.state.requests + 1,
    counter: counter.state(),
  };
  session.state.save(runtime.state);
}

/** A function that is asked the same thing twice in a row answers it once. */
function once<In, Out>(answer: (input: In) => Out): (input: In) => Out {
  let last: { readonly input: In; readonly output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: answer(input) };
    return last.output;
  };
}
