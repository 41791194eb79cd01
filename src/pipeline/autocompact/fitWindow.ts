// Makes every request fit: compacts when the window fills up or when asked to, within guards that end any loop.

import { RECALL_OUTPUT } from "../../economics/index.ts";
import type { Applied } from "../../ledger/index.ts";
import { STANDS_BACK, wasTakenBack } from "../../legality/index.ts";
import { defined, notFoundError, sumOf, ThroughlineError } from "../../lib/index.ts";
import type { History } from "../../messages/index.ts";
import { priceFor } from "../../tokens/index.ts";
import { holdsRecalled } from "../microcompact/recalled.ts";
import { lastAssistantIn, type PlanContext } from "../planContext.ts";
import { draftOf, type Trial, tryOut } from "../record.ts";
import type { RequestSize } from "../runtime.ts";
import { compactsAt } from "../settings.ts";
import {
  type CompactionMaterial,
  type CompactionOrder,
  candidatesFor,
  type RefusedWords,
} from "./candidates.ts";
import { type ChosenPart, partCut, tailCut, type WindowCut } from "./cut.ts";
import { type PlannedCompaction, planCompaction } from "./plan.ts";

/** A compaction that is made with a request: what it was to achieve, and what came of it. */
export interface MadeCompaction extends PlannedCompaction {
  readonly order: CompactionOrder;
  /** Where the summary made from the messages cuts. */
  readonly usual: WindowCut;
  /** Words that were there and not used. */
  readonly refused: readonly RefusedWords[];
}

export interface FittedWindow {
  readonly trial: Trial;
  readonly compaction?: MadeCompaction;
  /** Why a compaction that was due was not made. */
  readonly waiting?: string;
}

/** A compaction that frees less than this share of the conversation is not worth its cache. */
const LEAST_FREED_SHARE = 0.1;
/** New messages of this share of the room show that the work goes on. */
const REAL_GROWTH = 0.2;
/** Each further compaction in one turn aims lower, so that what refills the window cannot keep it full. */
const SHRINK = 0.5;

/** A compaction on request, whatever the size. */
export interface CompactNow {
  /** Tokens that the conversation may take afterwards; as much as usual when absent. */
  readonly to?: number;
  /** `base` takes everything but the newest messages; the others divide at the message `pivot`. */
  readonly mode?: "base" | ChosenPart["mode"];
  readonly pivot?: string;
}

/**
 * The trial with a compaction added when the request passes the threshold, or when one was asked for. Throws
 * `window-too-small` when system prompt and tools leave no room for a conversation: no request over the window is ever
 * given out.
 */
export function fitWindow(
  trial: Trial,
  context: PlanContext,
  material: CompactionMaterial,
  now: CompactNow | undefined,
): FittedWindow {
  const { enabled, outputReserve } = context.settings.autocompact;
  const threshold = compactsAt(context.settings.autocompact, context.model.window);
  const window = context.model.window - outputReserve;
  const size = context.sizeOf(trial.after);
  const isOver = size.tokens > window || (size.anchored && size.upperBound > context.model.window);
  const room = threshold - size.fixed;
  const given = { trial, context, material };
  if (now) return compactOnRequest(now, room, given);
  // While collapse is on it makes the room; only what would not be taken at all is compacted.
  const isFull = size.tokens > threshold && !context.settings.collapse.enabled;
  if (!enabled) return { trial };
  // The caller has the API compact; only a request that would not be taken at all is made smaller first.
  if (context.management.compacts && !isOver) return { trial, waiting: STANDS_BACK };
  if (!isFull && !isOver) return compactByPrice(size, room, given);
  const allowed = allowedTokens(context, room, isOver);
  if (typeof allowed === "string") {
    if (isOver) throw tooSmall(size.fixed, context);
    return { trial, waiting: allowed };
  }
  const order: CompactionOrder = {
    material,
    why: `the request would pass ${Math.round(threshold)} tokens`,
    allowed,
    room,
    leastFreed: isOver ? 0 : size.tokens * LEAST_FREED_SHARE,
  };
  const fits = (applied: Applied) => context.sizeOf(applied).tokens <= threshold;
  const fitted = compactWith(order, given, fits);
  if (isOver && context.sizeOf(fitted.trial.after).tokens > window) throw tooSmall(size.fixed, context);
  return fitted;
}

interface CompactionCase {
  readonly trial: Trial;
  readonly context: PlanContext;
  readonly material: CompactionMaterial;
}

/**
 * A compaction that nothing forces: it saves more than it costs. At a user turn with a cold cache everything is written
 * anew in any case; while the cache is warm, the compacted conversation is written once and every later request reads
 * less. No model is asked: the words come from the notes or the messages.
 */
function compactByPrice(size: RequestSize, room: number, given: CompactionCase): FittedWindow {
  const { trial, context, material } = given;
  const { coldTo, least } = context.settings.autocompact;
  const conversation = size.tokens - size.fixed;
  const allowed = Math.min(coldTo, room);
  const why = allowed < least ? undefined : earlyReason(given, size, allowed);
  if (why === undefined) return { trial };
  const order: CompactionOrder = {
    material,
    why: `${why}, and the conversation has ${Math.round(conversation)} tokens`,
    allowed,
    room: allowed,
    leastFreed: conversation * LEAST_FREED_SHARE,
    byPrice: true,
  };
  const fitted = compactWith(order, given);
  return fitted.compaction ? fitted : { trial };
}

/** Why a conversation of that size is worth compacting now; undefined when it is not. */
function earlyReason({ trial, context }: CompactionCase, size: RequestSize, allowed: number) {
  const conversation = size.tokens - size.fixed;
  const { settings, outlook, legality, entries, active } = context;
  const { whenCold, coldFrom, whenWarm } = settings.autocompact;
  if (settings.collapse.enabled) return undefined;
  // A compaction that was undone is not repeated to save cost.
  if (wasTakenBack("replace-prefix", entries, active)) return undefined;
  if (outlook.predicted === "cold" && legality.opensTurn) {
    const isDue = whenCold && coldFrom > 0 && conversation > coldFrom && legality.editOld;
    return isDue ? "the cache is cold anyway" : undefined;
  }
  if (!whenWarm || outlook.predicted !== "warm") return undefined;
  // Inside a tool call the API wants the thinking that led to it.
  if (legality.dropAllThinking && !legality.opensTurn) return undefined;
  // In what a compaction leaves a recalled text would stay; with the request that it leaves, the prefix changes anyway.
  if (holdsRecalled(context, trial.after.items)) return undefined;
  const changesSent = trial.drafts.some(({ planned }) => planned.level === "microcompact");
  if (!changesSent && !hasGrown(context, conversation)) return undefined;
  const spent = readBeyond(context, allowed);
  return isRepaid(spent, allowed, size, context)
    ? "what was read beyond that size has cost as much as to write it anew"
    : undefined;
}

/**
 * With constant growth a compaction is cheapest when the reads beyond its size have cost what it costs itself; with any
 * growth it then costs at most twice of what was unavoidable. It writes the compacted conversation, and has the model
 * recall something once.
 */
function isRepaid(spent: number, allowed: number, size: RequestSize, { model, outlook }: PlanContext) {
  const price = priceFor(model, size.tokens);
  const write = outlook.ttl === "1h" ? price.cacheWrite1h : price.cacheWrite5m;
  const recall = (size.fixed + allowed) * price.cacheRead + RECALL_OUTPUT * (price.output + write);
  return spent * price.cacheRead >= allowed * (write - price.cacheRead) + recall;
}

/** Tokens beyond `allowed` that the requests since the last compaction have read, added up. */
function readBeyond({ view, active, weigh }: PlanContext, allowed: number) {
  const tip = active.findLast(({ edit }) => edit.kind === "replace-prefix")?.tip;
  const from = view.findIndex(({ id }) => id === tip);
  let [tokens, beyond] = [0, 0];
  view.forEach((item, at) => {
    const isAnswer = item.message.role === "assistant" && view[at - 1]?.message.role !== "assistant";
    if (isAnswer && at > from) beyond += Math.max(0, tokens - allowed);
    tokens += weigh(item);
  });
  return beyond;
}

/** Steps in which a conversation that could not be compacted grows before it is tried again. */
const STEP = 2_000;

/** Whether the newest messages brought the conversation over a step; a turn's first request is always one. */
function hasGrown({ view, weigh, legality }: PlanContext, conversation: number) {
  const newest = sumOf(view.slice(Math.max(0, lastAssistantIn(view))), weigh);
  const steps = (tokens: number) => Math.floor(tokens / STEP);
  return legality.opensTurn || steps(conversation) > steps(conversation - newest);
}

/** Throws `not-found` for a pivot that is not in the window, and `usage` for a mode without one. */
function compactOnRequest(
  { to, mode = "base", pivot }: CompactNow,
  room: number,
  given: CompactionCase,
): FittedWindow {
  const { trial, context, material } = given;
  const part = mode === "base" ? undefined : { mode, pivot: pivot ?? "" };
  if (part && !partCut(trial.after.items, part)) {
    throw notFoundError(
      `there is no message ${part.pivot} in the window`,
      "name a message of the window by its id",
    );
  }
  const { target, least } = context.settings.autocompact;
  const allowed = to ?? Math.max(least, Math.floor(room * target));
  const order: CompactionOrder = {
    material,
    why: "asked for",
    allowed,
    room: to ?? Math.max(least, room),
    leastFreed: 0,
    ...defined({ part }),
  };
  // The parts that stay may be large: what was asked for is done as far as it goes.
  return compactWith(order, to === undefined ? given : { ...given, context: usingAll(context) });
}

/** A size that the caller names is used in full: newest messages and summary have no limit of their own. */
function usingAll(context: PlanContext): PlanContext {
  const { settings } = context;
  const autocompact = {
    ...settings.autocompact,
    tail: Number.POSITIVE_INFINITY,
    summary: Number.POSITIVE_INFINITY,
  };
  return { ...context, settings: { ...settings, autocompact } };
}

/** Tokens a compacted conversation may take, or why it is not the time for one. */
function allowedTokens(context: PlanContext, room: number, isOver: boolean) {
  const { perTurn, target, least } = context.settings.autocompact;
  const made = idleCompactions(context, room);
  if (made >= perTurn && !isOver) return `compacted ${made} times in this turn with little in between`;
  const allowed = Math.floor(room * target * SHRINK ** made);
  return allowed < least ? "the window leaves no room for a summary" : allowed;
}

/** Where the newest messages begin, or the part that was chosen ends; everything is out of question when it is gone. */
function usualCut(context: PlanContext, view: History, { part, allowed, byPrice }: CompactionOrder) {
  const cut = (part ? partCut(view, part) : tailCut(context, view, allowed)) ?? { first: 0, start: 0 };
  // What the model has not seen yet stays, whatever its size, where nothing forces a compaction.
  return byPrice ? { ...cut, start: Math.min(cut.start, Math.max(0, lastAssistantIn(view))) } : cut;
}

/** The first source whose words can be used; what the messages themselves say is the last and always there. */
function compactWith(
  order: CompactionOrder,
  { trial, context }: CompactionCase,
  fits: (applied: Applied) => boolean = () => true,
): FittedWindow {
  const refused: RefusedWords[] = [];
  const view = trial.after.items;
  const usual = usualCut(context, view, order);
  for (const candidate of candidatesFor(context, view, order, usual)) {
    const planned = "why" in candidate ? candidate : planCompaction(context, view, order, candidate);
    if ("why" in planned) {
      refused.push(planned);
      continue;
    }
    const own = planned.edits.map((edit) => draftOf(edit, context));
    const tried = tryOut([...trial.drafts, ...own], context);
    const stuck = tried.refused.find(({ draft }) => own.includes(draft));
    if (stuck) refused.push({ from: planned.from, why: stuck.skip.detail });
    else if (planned.from !== "messages" && !fits(tried.after))
      refused.push({ from: planned.from, why: "the request would still fill the window" });
    else return { trial: tried, compaction: { ...planned, order, usual, refused } };
  }
  return { trial, waiting: refused.at(-1)?.why ?? "there is nothing to take out" };
}

/**
 * Compactions at the end of this turn that nothing much came after: signs of a loop. A long turn that really brings new
 * messages may be compacted as often as it fills the window.
 */
function idleCompactions(context: PlanContext, room: number) {
  const { active, history, legality, view, weigh, positionOf } = context;
  const turn = view[legality.turnStart]?.id;
  const start = turn === undefined ? 0 : (positionOf(turn) ?? 0);
  let count = 0;
  let end = history.length;
  for (const { edit, tip } of active.toReversed()) {
    if (edit.kind !== "replace-prefix") continue;
    const at = tip === undefined ? -1 : (positionOf(tip) ?? -1);
    const grown = sumOf(history.slice(at + 1, end), weigh);
    if (at < start || grown > room * REAL_GROWTH) break;
    count++;
    end = at + 1;
  }
  return count;
}

function tooSmall(fixed: number, { model }: PlanContext) {
  return new ThroughlineError(
    "window-too-small",
    `system prompt, tools and the newest messages do not fit into the ${model.window} tokens of ${model.id} (system prompt and tools alone take ${Math.round(fixed)})`,
    "use fewer tools, a shorter system prompt, or a model with a larger window",
  );
}
