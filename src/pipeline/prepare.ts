// The call made before every request: what to send, with which parameters, and the account of it.
import { type Applied, apply, type LedgerEntry, type RequestParams } from "../ledger/index.ts";
import { systemClock, ThroughlineError, timeOrderedId } from "../lib/index.ts";
import { check, type History, type Message, type Provenance } from "../messages/index.ts";
import { estimateTokens, lookupModel, type ModelInfo, readUsage } from "../tokens/index.ts";
import { nameOf } from "../vault/index.ts";
import { planBudget } from "./budget/plan.ts";
import { planClearing } from "./microcompact/clear.ts";
import { planServerClearing } from "./microcompact/server.ts";
import type { PlanContext, PlannedEdit, Removed } from "./plan.ts";
import { cacheOutlook, learnedTtl } from "./policy/outlook.ts";
import { legalityOf } from "./policy/regime.ts";
import { levelReceipts, promptCost, type Receipt } from "./receipt.ts";
import { isOpenEnd, type Repaired, repair } from "./repair.ts";
import { type Runtime, runtimeOf } from "./runtime.ts";
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
  const repaired = repairNew(input.messages, runtime);
  const history = runtime.identify(
    repaired.messages,
    named(input.ids, repaired),
    followed(input.provenance, repaired),
  );
  const entries = session.ledger.entries();
  const before = runtime.applier.apply(history, entries);
  const context = planContext(session, runtime, model, history, before, entries, now);
  const edited = input.source === undefined || input.source === "main";
  const plan = edited ? makePlan(context, before.tagged) : emptyPlan;
  const added = plan.edits.map((planned) => entryOf(planned, history, now));
  if (!input.dryRun) commit(session, plan, added, repaired);
  const after =
    added.length === 0
      ? before
      : applyAdded(input.dryRun === true, session, runtime, history, entries, added);
  assertValid(after.messages, model, runtime);
  const receipt = makeReceipt({ input, runtime, model, context, plan, added, before, after, repaired });
  if (!input.dryRun) {
    runtime.lastSent = after.messages;
    runtime.state = { ...runtime.state, lastRequestAt: now };
  }
  return { messages: after.messages, items: after.items, params: after.params, receipt };
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
  counter.observe({ messages: runtime.lastSent, usage: read, ...(reply ? { reply } : {}) });
  runtime.state = {
    ...runtime.state,
    ttl: learnedTtl(read, runtime.state.ttl),
    requests: runtime.state.requests + 1,
    counter: counter.state(),
  };
  session.state.save(runtime.state);
}

/** Only what is new since the last request needs looking at; a beginning that was valid stays so. */
function repairNew(messages: readonly Message[], runtime: Runtime): Repaired {
  if (messages.length === 0) {
    throw new ThroughlineError("invalid-history", "there are no messages", {
      fix: "send at least one message",
    });
  }
  const known = runtime.checked;
  let same = 0;
  while (same < known.length && known[same] === messages[same]) same++;
  // A new message is judged by its neighbours back to the assistant message that it may answer.
  let from = Math.min(same, messages.length - 1);
  while (from > 0 && !(messages[from]?.role === "assistant" && messages[from - 1]?.role === "user")) from--;
  const tail = messages.slice(from);
  const lead: Message[] = from === 0 ? [] : [{ role: "user", content: "…" }];
  const valid = same === known.length && check([...lead, ...tail], { allowPrefill: true }).length === 0;
  const repaired = valid ? { messages, repairs: [] } : repair(messages);
  runtime.checked = repaired.repairs.length === 0 ? messages : [];
  return repaired;
}

/** Names and provenance follow their messages through a repair. */
function followed<T>(
  values: readonly T[] | undefined,
  { sources }: Repaired,
): readonly (T | undefined)[] | undefined {
  return values && sources ? sources.map((at) => (at === undefined ? undefined : values[at])) : values;
}

function named(ids: readonly string[] | undefined, repaired: Repaired): readonly string[] | undefined {
  let previous = "";
  return followed(ids, repaired)?.map((id) => {
    previous = id ?? `${previous}:repair`;
    return previous;
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
  return {
    history,
    view: items,
    entries,
    model,
    settings: session.settings,
    now,
    outlook,
    legality: legalityOf(model, items, outlook),
    weigh: (item) => runtime.weigh(item, model),
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
  const unbound = [...marks.edits, ...clearing.edits].sort(thinkingFirst);
  return {
    edits: [...budget, ...tags, ...unbound, ...server.edits],
    keep: server.keep,
    held: clearing.waiting === undefined ? {} : { microcompact: clearing.waiting },
    waiting: marks.waiting,
  };
}

/** A write that is torn must never leave an edit without the removal of the thinking it is bound to. */
function thinkingFirst(a: PlannedEdit, b: PlannedEdit): number {
  return Number(b.edit.kind === "drop-thinking") - Number(a.edit.kind === "drop-thinking");
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
function commit(session: Session, plan: Plan, added: readonly LedgerEntry[], { repairs }: Repaired): void {
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
function assertValid(messages: readonly Message[], model: ModelInfo, runtime: Runtime): void {
  const known = runtime.lastSent;
  let same = 0;
  while (same < known.length && known[same] === messages[same]) same++;
  let from = Math.min(same, messages.length - 1);
  while (from > 0 && !(messages[from]?.role === "assistant" && messages[from - 1]?.role === "user")) from--;
  const lead: Message[] = from === 0 ? [] : [{ role: "user", content: "…" }];
  const allowPrefill = model.prefill || messages.at(-1)?.role === "assistant";
  const sent = [...lead, ...messages.slice(from)];
  const broken = check(sent, { allowPrefill }).find(({ code, message }) => !isOpenEnd(sent, code, message));
  if (broken) {
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
  readonly repaired: Repaired;
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
  repaired,
}: ReceiptParts): Receipt {
  const fixed = fixedTokens(input, model);
  const weigh = context.weigh;
  const raw = fixed + runtime.rawSum.total(context.history, weigh);
  const counter = runtime.counter(model, fixed);
  const prediction = counter.predict(after.messages);
  const sum = fixed + runtime.viewSum.total(after.items, weigh);
  const tokens = {
    before: Math.round(raw),
    after: prediction.basis === "none" ? Math.round(sum) : prediction.tokens,
    upperBound: prediction.upperBound,
  };
  const unchanged = commonBeginning(before.items, after.items);
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
    repairs: repaired.repairs,
  };
}

function commonBeginning(a: History, b: History): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same]?.message === b[same]?.message) same++;
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
