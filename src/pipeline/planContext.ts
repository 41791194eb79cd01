// The input and output of a level: the plan context, and planned edits, which change nothing by themselves.

import {
  addLooks,
  type CacheOutlook,
  cacheOutlook,
  type EconomicsSettings,
  judge,
  type LookCounts,
} from "../economics/index.ts";
import { type Applied, type Applier, activeEntries, type LedgerEntry } from "../ledger/index.ts";
import {
  broughtBack,
  type ContextManagement,
  holdsThinking,
  type Legality,
  legalityOf,
  managementOf,
  pinnedItems,
} from "../legality/index.ts";
import { commonStart, sumOf } from "../lib/index.ts";
import { type Block, type History, isText, isUserInput, type Message, textOf } from "../messages/index.ts";
import type { ModelInfo } from "../tokens/index.ts";
import type { GrownContent } from "../vault/index.ts";
import { type FixedParts, type RequestSize, type SessionRuntime, thinkingWeight } from "./runtime.ts";
import type { Session } from "./session.ts";
import type { PipelineSettings } from "./settings.ts";

/** Content that leaves the window with an edit, and has to be in the vault before it does. */
export interface Removed {
  readonly content: string | GrownContent;
  /** Its handle, where that is known already. */
  readonly handle?: string;
  /** The content was made by `JSON.stringify`; its long strings are pieces. */
  readonly json?: true;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly item?: string;
  /** Also keep it as a plain file under this call's id. */
  readonly asFile?: boolean;
}

type RemovedText = Removed & { readonly content: string };

export interface PlannedEdit extends Pick<LedgerEntry, "level" | "why" | "edit" | "tokens" | "settles"> {
  readonly removed: readonly Removed[];
  readonly by?: LedgerEntry["by"];
}

/** Tokens that the edits free together. */
export function freedBy(edits: readonly PlannedEdit[]) {
  return sumOf(edits, ({ tokens }) => (tokens ? tokens.before - tokens.after : 0));
}

/** Everything a level may look at. */
export interface PlanContext {
  /** The history as the client sent it. */
  readonly history: History;
  /** Index of a message in the history, by its id. */
  positionOf(id: string): number | undefined;
  /** What the ledger makes of the history so far. */
  readonly applied: Applied;
  /** Its messages: what would be sent if no more edits were made. */
  readonly view: History;
  readonly entries: readonly LedgerEntry[];
  /** The entries in force. */
  readonly active: readonly LedgerEntry[];
  readonly model: ModelInfo;
  readonly settings: PipelineSettings;
  /** What the request has the API do with the context. */
  readonly management: ContextManagement;
  readonly now: number;
  readonly outlook: CacheOutlook;
  /** Milliseconds since the last response; undefined when its time is not known. */
  readonly sinceReply: number | undefined;
  readonly legality: Legality;
  /** Items that no level touches. */
  readonly pinned: ReadonlySet<string>;
  /** Calls whose results an undo brought back: no level takes them away again. */
  readonly broughtBack: ReadonlySet<string>;
  /** Tokens of a message. */
  weigh(item: History[number]): number;
  /** Tokens of the view, system prompt and tools left aside. */
  viewTokens(): number;
  /** Tokens of the request if no more edits were made, system prompt and tools included. */
  requestTokens(): number;
  /** How often results that were cut on arrival were recalled, in this session and in those before it. */
  readonly looks: LookCounts;
  /** Names of the called tools, by tool_use_id. */
  readonly tools: ReadonlyMap<string, string>;
  /** Tokens of the thinking in the view's first messages. */
  thinkingUpTo(count: number): number;
  /** Tokens of the view's messages for which `weight` was given once and for all. */
  clearableTokens(weight: (item: History[number]) => number): number;
  /** Messages whose results are not in the vault yet; needed before the API may clear them. */
  notKept(): History;
  /** Where a call's whole result can be read; undefined where no file is written. */
  /** How far the conversation was read for compactions; they read on from there. */
  readonly reading: SessionRuntime["reading"];
  fileOf(toolUseId: string): string | undefined;
  /** What the history becomes with these entries. */
  apply(entries: readonly LedgerEntry[]): Applied;
  /** Size of the request that sends a window; computed once for the same window twice in a row. */
  sizeOf(applied: Applied): RequestSize;
}

/** Judges whether edits pay whose first changed message has the index `first` in the view. */
export function judgeEdits(
  { view, weigh, viewTokens, model, outlook }: PlanContext,
  edits: readonly PlannedEdit[],
  first: number,
  startsTurn: boolean,
  settings: EconomicsSettings,
): ReturnType<typeof judge> {
  const freed = freedBy(edits);
  const rewritten = Math.max(0, sumOf(view.slice(first), weigh) - freed);
  return judge({ freed, rewritten, prompt: viewTokens(), startsTurn }, model, outlook, settings);
}

/** Tokens of a text in a message and of the one that replaces it, by the scale of the whole message. */
export function replacedTokens(
  { weigh }: Pick<PlanContext, "weigh">,
  item: History[number],
  shown: string,
  replacement: string,
): { readonly before: number; readonly after: number } {
  const share = (total: number, part: number, whole: number) =>
    whole === 0 ? 0 : Math.round((total * part) / whole);
  const before = share(weigh(item), shown.length, JSON.stringify(item.message.content).length);
  return { before, after: Math.min(before, share(before, replacement.length, shown.length)) };
}

/** The results that a message brings. */
export function resultsIn({ role, content }: Message): readonly Block[] {
  if (role !== "user" || typeof content === "string") return [];
  return content.filter(({ type }) => type === "tool_result");
}

/** Index of the last message that the assistant wrote, -1 without one: everything before it was sent already. */
export function lastAssistantIn(items: History) {
  return items.findLastIndex(({ message }) => message.role === "assistant");
}

/**
 * A whole result as the vault keeps it: its text under the call's id, so that the id finds exactly one thing, and
 * images and the like beside it.
 */
export function wholeResult(content: unknown, origin: Omit<Removed, "content">): RemovedText[] {
  const text = textOf(content);
  const others = otherParts(content);
  if (others.length === 0) return [{ ...origin, content: text }];
  const beside: RemovedText = { ...origin, content: JSON.stringify(others) };
  if (text === "") return [beside];
  const { toolUseId: _onlyForTheText, ...rest } = beside;
  return [{ ...origin, content: text }, rest];
}

/** The parts of a result that are not text. */
function otherParts(content: unknown): readonly Block[] {
  return Array.isArray(content) ? (content as Block[]).filter((part) => !isText(part)) : [];
}

interface ContextParts {
  readonly session: Session;
  readonly model: ModelInfo;
  readonly history: History;
  readonly entries: readonly LedgerEntry[];
  readonly now: number;
  readonly fixed: FixedParts;
  readonly management?: ContextManagement;
  /** Tries edits out; the session's own by default, which remembers what it applied last. */
  readonly applier?: Pick<Applier, "apply">;
}

export function planContext(parts: ContextParts): PlanContext {
  const { session, model, history, entries, now, fixed } = parts;
  const { runtime } = session;
  const { applier = runtime.applier, management = managementOf() } = parts;
  const applied = runtime.applier.apply(history, entries);
  const view = applied.items;
  const active = activeEntries(entries);
  const repliedAt = history[lastAssistantIn(history)]?.at;
  const outlook = cacheOutlook(runtime.state, now, repliedAt);
  const pinned = pinnedItems(active);
  const weigh = (item: History[number]) => runtime.weigh(item, model);
  const sizeOf = rememberLast((window: Applied) => {
    const isCleared = management.clears || window.params.body.context_management !== undefined;
    return runtime.requestSize(fixed, { model, weigh, isCleared }, window);
  });
  return {
    history,
    positionOf: (id) => runtime.applier.positionOf(history, id),
    applied,
    view,
    entries,
    active,
    model,
    settings: session.settings,
    management,
    now,
    outlook,
    sinceReply: repliedAt === undefined ? outlook.idle : Math.max(0, now - repliedAt),
    legality: legalityOf({
      model,
      view,
      outlook,
      pinned,
      lastInput: runtime.lastInput.in(view, isUserInput),
      hasThinking: runtime.lastThinking.in(history, holdsThinking) >= 0,
    }),
    pinned,
    broughtBack: broughtBack(entries, active),
    weigh,
    viewTokens: () => runtime.viewSum.upTo(view, weigh),
    requestTokens: () => sizeOf(applied).tokens,
    looks: addLooks(session.looks, runtime.state.looks ?? {}),
    tools: runtime.tools,
    thinkingUpTo: (count) => runtime.thinkingSum.upTo(view, (item) => thinkingWeight(item, weigh), count),
    clearableTokens: (weight) => runtime.clearableSum.upTo(view, weight),
    notKept: () => history.slice(commonStart(runtime.keptHistory, history)),
    reading: runtime.reading,
    fileOf: (toolUseId) => session.results.fileOf(toolUseId),
    apply: (list) => applier.apply(history, list),
    sizeOf,
  };
}

function rememberLast<In, Out>(compute: (input: In) => Out): (input: In) => Out {
  let last: { readonly input: In; readonly output: Out } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) };
    return last.output;
  };
}
