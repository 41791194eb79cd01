// The call made before every request: what to send, with which parameters, and the account of it.
import { type Applied, apply, type LedgerEntry, type RequestParams } from "../ledger/index.ts";
import { systemClock, timeOrderedId } from "../lib/index.ts";
import { type History, type Message, type Provenance, readUsage } from "../messages/index.ts";
import { lookupModel, type ModelInfo } from "../tokens/index.ts";
import { nameOf } from "../vault/index.ts";
import { liftBreakpoints, putBack } from "./controls.ts";
import { emptyPlan, makePlan, type Plan } from "./levels.ts";
import type { PlanContext, PlannedEdit, Removed } from "./plan.ts";
import { cacheOutlook, learnedTtl } from "./policy/outlook.ts";
import { legalityOf } from "./policy/regime.ts";
import { makeReceipt, type Receipt } from "./receipt.ts";
import type { Repair } from "./repair.ts";
import { type Runtime, runtimeOf, thinkingWeight } from "./runtime.ts";
import type { Session } from "./session.ts";
import { assertReadable, assertValid, validHistory } from "./validity.ts";

export interface PrepareInput {
  readonly session: Session;
  /** The whole conversation, as the client would send it. It is never changed. */
  readonly messages: readonly Message[];
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly model: string;
  readonly now?: number;
  /** The client's own names of the messages, where it has any; others are named by what precedes them. */
  readonly ids?: readonly string[];
  /** What is known of the messages beyond what is sent, by index. */
  readonly provenance?: readonly (Provenance | undefined)[];
  /** Changes nothing: not the ledger, not the vault, not what is remembered. */
  readonly dryRun?: boolean;
  /** A subagent's window is its own session, and a summary call is nobody's: neither is edited. */
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
  const { session } = input;
  const now = input.now ?? systemClock.now();
  const model = lookupModel(input.model, session.models);
  const runtime = runtimeOf(session);
  assertReadable(input.messages);
  const { messages, breakpoints } = liftBreakpoints(input.messages);
  const asSent = runtime.identify(messages, input.ids, input.provenance);
  const { history, repairs } = validHistory(asSent, runtime);
  const entries = session.ledger.entries();
  const before = runtime.applier.apply(history, entries);
  const context = planContext(session, runtime, model, history, before, entries, now);
  const edited = input.source === undefined || input.source === "main";
  const plan = edited ? makePlan(context, before.tagged) : emptyPlan;
  const added = plan.edits.map((planned) => entryOf(planned, history, now));
  if (!input.dryRun) commit(session, plan, added, repairs);
  const after =
    added.length === 0
      ? before
      : applyAdded(input.dryRun === true, session, runtime, history, entries, added);
  assertValid(after.items, model, runtime);
  const receipt = makeReceipt({ input, runtime, model, context, plan, added, before, after, repairs });
  if (!input.dryRun) {
    runtime.lastSent = after.items;
    runtime.state = { ...runtime.state, lastRequestAt: now };
  }
  const marked = putBack(after.messages, after.items, asSent, breakpoints);
  return { messages: marked, items: after.items, params: after.params, receipt };
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
  const counter = runtime.counter(lookupModel(model, session.models), 0);
  counter.observe({
    messages: runtime.lastSent.map(({ message }) => message),
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

function planContext(
  session: Session,
  runtime: Runtime,
  model: ModelInfo,
  history: History,
  { items }: Applied,
  entries: readonly LedgerEntry[],
  now: number,
): PlanContext {
  const lastAt = history.findLast(({ message }) => message.role === "assistant")?.at;
  const outlook = cacheOutlook(runtime.state, now, lastAt);
  const weigh = (item: History[number]): number => runtime.weigh(item, model);
  return {
    history,
    view: items,
    entries,
    model,
    settings: session.settings,
    now,
    outlook,
    legality: legalityOf(model, items, outlook),
    weigh,
    tools: runtime.tools,
    thinkingUpTo: (count) => runtime.thinkingSum.upTo(items, (item) => thinkingWeight(item, weigh), count),
    clearableTokens: (weight) => runtime.clearableSum.upTo(items, weight),
    fileOf: (toolUseId) => session.results.fileOf(toolUseId),
  };
}

function entryOf(planned: PlannedEdit, history: History, now: number): LedgerEntry {
  const tip = history.at(-1)?.id;
  return {
    v: 1,
    id: timeOrderedId("e", now),
    at: new Date(now).toISOString(),
    by: planned.by ?? "here",
    level: planned.level,
    why: planned.why,
    edit: planned.edit,
    ...(planned.tokens ? { tokens: planned.tokens } : {}),
    ...(planned.removed.length > 0
      ? { handles: planned.removed.map(({ content }) => nameOf(content).handle) }
      : {}),
    ...(tip === undefined ? {} : { tip }),
    ...(planned.settles === undefined ? {} : { settles: planned.settles }),
  };
}

/** The vault first, then the ledger: an entry never promises bytes that are not there. */
function commit(
  session: Session,
  plan: Plan,
  added: readonly LedgerEntry[],
  repairs: readonly Repair[],
): void {
  const keep = (level: string, { content, tool, toolUseId, item, asFile }: Removed): void => {
    session.vault.put(content, {
      session: session.id,
      level,
      ...(tool === undefined ? {} : { tool }),
      ...(toolUseId === undefined ? {} : { toolUseId }),
      ...(item === undefined ? {} : { item }),
    });
    if (asFile && toolUseId !== undefined) session.results.write(toolUseId, content);
  };
  for (const { removed } of repairs) if (removed) keep("repair", { content: JSON.stringify(removed) });
  for (const { level, removed } of plan.edits) for (const one of removed) keep(level, one);
  for (const one of plan.keep) keep("microcompact", one);
  session.ledger.append(added);
}

function applyAdded(
  dryRun: boolean,
  session: Session,
  runtime: Runtime,
  history: History,
  entries: readonly LedgerEntry[],
  added: readonly LedgerEntry[],
): Applied {
  return dryRun
    ? apply(history, [...entries, ...added])
    : runtime.applier.apply(history, session.ledger.entries());
}
