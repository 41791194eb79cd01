// The call made before every request: what to send, with which parameters, and the account of it.
import { type Applied, apply, type LedgerEntry, type RequestParams } from "../ledger/index.ts";
import { systemClock, ThroughlineError, timeOrderedId } from "../lib/index.ts";
import {
  check,
  type History,
  type Message,
  type Provenance,
  readUsage,
  type Violation,
} from "../messages/index.ts";
import { estimateTokens, lookupModel, type ModelInfo } from "../tokens/index.ts";
import { nameOf } from "../vault/index.ts";
import { planBudget } from "./budget/plan.ts";
import { liftBreakpoints, putBack } from "./controls.ts";
import { planClearing, planThinking } from "./microcompact/clear.ts";
import { planServerClearing } from "./microcompact/server.ts";
import type { PlanContext, PlannedEdit, Removed } from "./plan.ts";
import { cacheOutlook, learnedTtl } from "./policy/outlook.ts";
import { legalityOf } from "./policy/regime.ts";
import { levelReceipts, promptCost, type Receipt } from "./receipt.ts";
import { isOpenEnd, type Repair, repair } from "./repair.ts";
import { type Runtime, runtimeOf, thinkingWeight } from "./runtime.ts";
import type { Session } from "./session.ts";
import { settleMarks } from "./snip/settle.ts";

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

/** What the levels want, before anything is recorded. */
interface Plan {
  readonly edits: readonly PlannedEdit[];
  /** Content that must be in the vault although no edit of ours takes it out. */
  readonly keep: readonly Removed[];
  readonly held: Readonly<Partial<Record<LedgerEntry["level"], string>>>;
  readonly waiting: Receipt["waiting"];
}

const emptyPlan: Plan = { edits: [], keep: [], held: {}, waiting: [] };

/**
 * Throws `unknown-model` and `invalid-history`, and whatever the disk throws; then nothing was recorded. A request
 * that is prepared again with the same messages gets the same bytes.
 */
export function prepare(input: PrepareInput): Prepared {
  const { session } = input;
  const now = input.now ?? systemClock.now();
  const model = lookupModel(input.model, session.models);
  const runtime = runtimeOf(session);
  const { messages, breakpoints } = liftBreakpoints(input.messages);
  const asSent = runtime.identify(messages, input.ids, input.provenance);
  const { history, repairs } = repairNew(asSent, runtime);
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

interface ValidHistory {
  readonly history: History;
  readonly repairs: readonly Repair[];
}

/** The history as it can be sent. Only what is new since the last request is looked at: a valid beginning stays so. */
function repairNew(history: History, runtime: Runtime): ValidHistory {
  if (history.length === 0) {
    throw new ThroughlineError("invalid-history", "there are no messages", {
      fix: "send at least one message",
    });
  }
  if (violationsBehind(history, commonBeginning(runtime.lastValid, history), true).length === 0) {
    runtime.lastValid = history;
    return { history, repairs: [] };
  }
  runtime.lastValid = [];
  const messages = history.map(({ message }) => message);
  const { messages: mended, sources, repairs } = repair(messages);
  return { history: sources ? followed(history, mended, sources) : history, repairs };
}

/** What is wrong from `known` on: judged with its neighbours, back to the assistant message that it may answer. */
function violationsBehind(history: History, known: number, allowPrefill: boolean): Violation[] {
  const roleAt = (at: number): string | undefined => history[at]?.message.role;
  let from = Math.min(known, history.length - 1);
  while (from > 0 && !(roleAt(from) === "assistant" && roleAt(from - 1) === "user")) from--;
  const lead: readonly Message[] = from === 0 ? [] : [{ role: "user", content: "…" }];
  const part = [...lead, ...history.slice(from).map(({ message }) => message)];
  return check(part, { allowPrefill }).filter(({ code, message }) => !isOpenEnd(part, code, message));
}

/** Names and provenance follow their messages through a repair; a message that was put in is named by its neighbour. */
function followed(
  history: History,
  messages: readonly Message[],
  sources: readonly (number | undefined)[],
): History {
  let previous = "";
  return messages.map((message, at) => {
    const source = history[sources[at] ?? -1];
    previous = source?.id ?? `${previous}:repair`;
    if (source?.message === message) return source;
    return { ...source, id: previous, message };
  });
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

function makePlan(context: PlanContext, tagged: boolean): Plan {
  const budget = planBudget(context);
  const tags = tagged ? [] : planTags(context);
  const marks = settleMarks(context);
  const clearing = planClearing(context);
  // The local path first: when it acts, the cache is cold or repaid, and there is nothing for the server to spare.
  const local = clearing.edits.length > 0;
  const server =
    !local && context.settings.microcompact.server ? planServerClearing(context) : { edits: [], keep: [] };
  const oldEdits = withBoundThinking([...marks.edits, ...clearing.edits], context);
  return {
    edits: [...budget, ...tags, ...oldEdits, ...server.edits],
    keep: server.keep,
    held: clearing.waiting === undefined ? {} : { microcompact: clearing.waiting },
    waiting: marks.waiting,
  };
}

/**
 * Where thinking is bound to what precedes it, it goes with every edit of old content, and first: a write that is
 * torn must never leave an edit without it.
 */
function withBoundThinking(edits: readonly PlannedEdit[], context: PlanContext): readonly PlannedEdit[] {
  const isThinking = ({ edit }: PlannedEdit): boolean => edit.kind === "drop-thinking";
  const planned = edits.find(isThinking);
  const needed = edits.length > 0 && context.legality.dropAllThinking;
  const thinking = planned ?? (needed ? planThinking(context, true) : undefined);
  const why = planned?.why || "thinking is bound to what precedes it";
  return thinking ? [{ ...thinking, why }, ...edits.filter((edit) => !isThinking(edit))] : edits;
}

/** From the first request on every user input carries its tag; inputs that were sent without one stay as they are. */
function planTags({ settings, history }: PlanContext): PlannedEdit[] {
  if (!settings.snip.tags) return [];
  const firstUnsent = history.findLastIndex(({ message }) => message.role === "assistant") + 1;
  const from = history[firstUnsent]?.id;
  if (from === undefined) return [];
  return [
    { level: "snip", why: "lets the model name user turns", edit: { kind: "tag-inputs", from }, removed: [] },
  ];
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

/** The last line of defence: nothing that breaks the API's rules is ever given out. */
function assertValid(sent: History, model: ModelInfo, runtime: Runtime): void {
  const allowPrefill = model.prefill || sent.at(-1)?.message.role === "assistant";
  const broken = violationsBehind(sent, commonBeginning(runtime.lastSent, sent), allowPrefill)[0];
  if (!broken) return;
  throw new ThroughlineError(
    "invalid-history",
    `the prepared request would break a rule: ${broken.meaning}`,
    {
      fix:
        broken.code === "too-large"
          ? "start a new conversation, or clear large images and documents"
          : "report this with the session's ledger",
    },
  );
}

interface ReceiptParts {
  readonly input: PrepareInput;
  readonly runtime: Runtime;
  readonly model: ModelInfo;
  readonly context: PlanContext;
  readonly plan: Plan;
  readonly added: readonly LedgerEntry[];
  readonly before: Applied;
  readonly after: Applied;
  readonly repairs: readonly Repair[];
}

function makeReceipt({
  input,
  runtime,
  model,
  context,
  plan,
  added,
  before,
  after,
  repairs,
}: ReceiptParts): Receipt {
  const fixed = fixedTokens(input, model);
  const weigh = context.weigh;
  const raw = fixed + runtime.rawSum.upTo(context.history, weigh);
  const counter = runtime.counter(model, fixed);
  const prediction = counter.predict(after.messages);
  const sum = fixed + runtime.viewSum.upTo(after.items, weigh);
  const tokens = {
    before: Math.round(raw),
    after: prediction.basis === "none" ? Math.round(sum) : prediction.tokens,
    upperBound: prediction.upperBound,
  };
  const unchanged = before === after ? after.items.length : commonBeginning(before.items, after.items);
  const fresh = context.view.slice(
    context.view.findLastIndex(({ message }) => message.role === "assistant") + 1,
  );
  const freshTokens = fresh.reduce((total, item) => total + weigh(item), 0);
  const changedTail = after.items.slice(unchanged).reduce((total, item) => total + weigh(item), 0);
  return {
    session: input.session.id,
    policy: context.settings.policy,
    model: model.id,
    regime: model.thinking,
    dryRun: input.dryRun === true,
    tokens,
    levels: levelReceipts(added, plan.held),
    edits: added,
    waiting: plan.waiting,
    skipped: after.skipped,
    cache: context.outlook,
    cost: {
      with: promptCost(
        { cached: tokens.after - Math.max(changedTail, freshTokens), total: tokens.after },
        model,
        context.outlook,
      ),
      without: promptCost(
        { cached: tokens.before - freshTokens, total: tokens.before },
        model,
        context.outlook,
      ),
    },
    repairs,
  };
}

/** How many items two histories begin with alike. */
function commonBeginning(a: History, b: History): number {
  const limit = Math.min(a.length, b.length);
  let same = 0;
  while (same < limit && (a[same] === b[same] || a[same]?.message === b[same]?.message)) same++;
  return same;
}

const fixedCounts = new WeakMap<readonly unknown[], number>();

/** Tokens of system prompt and tools; counted once per array. */
function fixedTokens({ system, tools }: PrepareInput, model: ModelInfo): number {
  const key = tools ?? (Array.isArray(system) ? system : undefined);
  const known = key && fixedCounts.get(key);
  if (known !== undefined) return known;
  const count = estimateTokens([], {
    model,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  });
  if (key) fixedCounts.set(key, count);
  return count;
}
