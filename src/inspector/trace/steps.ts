// The steps of a session in order: requests, calls of tools and edits of the window, each with its turn, its beginning and its time.
import { actionOf, oneLine } from "../../activity/index.ts";
import { defined, isoTime } from "../../lib/index.ts";
import { blocksOf, isText, isThinking, promptTokens, userTurns } from "../../messages/index.ts";
import { cost, findModel, type ModelOverrides } from "../../tokens/index.ts";
import type { Conversation, TranscriptItem } from "../../transcript/index.ts";
import type { WindowEvent } from "../model.ts";
import type { CallStep, EditStep, RequestStep, TraceStep } from "./model.ts";
import type { CallOfThread, RowTimes } from "./threads.ts";

export interface TraceSources {
  readonly conversation: Conversation;
  readonly calls: readonly CallOfThread[];
  readonly times: RowTimes;
  readonly events: readonly WindowEvent[];
  readonly models: ModelOverrides;
  /** The page shows no text that must not be stored. */
  readonly redact: (text: string) => string;
}

const LONGEST_LINE = 200;

/** Which turn the item at an index belongs to: 0 before the first input. */
function turnAt(items: readonly TranscriptItem[]): (index: number) => number {
  const starts = userTurns(items).map(({ start }) => start);
  const turns: number[] = [];
  let turn = 0;
  for (let at = 0; at < items.length; at++) {
    while ((starts[turn] ?? items.length) <= at) turn += 1;
    turns.push(turn);
  }
  return (index) => turns[index] ?? turn;
}

/** The times of the rows of a message, in their order. */
function timesOfItem(item: TranscriptItem | undefined, times: RowTimes) {
  const known = item?.uuids.flatMap((id) => times.get(id) ?? []) ?? [];
  return known.length > 0 ? known : item?.at === undefined ? [] : [item.at];
}

/** How long the thinking took at the beginning of an answer; undefined without thinking. */
function thinkingTime(item: TranscriptItem, began: number, times: RowTimes) {
  const blocks = blocksOf(item.message);
  const last = blocks.findLastIndex((_, at) => blocks.slice(0, at + 1).every(isThinking));
  const id = last < 0 ? undefined : (item.uuids[last] ?? item.uuids[0]);
  const ended = id === undefined ? undefined : times.get(id);
  return ended === undefined ? undefined : Math.max(0, ended - began);
}

function requestStep(
  { conversation, times, models, redact }: TraceSources,
  point: number,
  turn: number,
): RequestStep | undefined {
  const { items, requests } = conversation;
  const request = requests[point];
  const item = request && items[request.itemIndex];
  if (!request || !item) return undefined;
  const { usage, model } = request;
  const written = timesOfItem(item, times);
  const ended = Math.max(...written);
  // A request is sent when what it answers is written.
  const began = Math.min(ended, timesOfItem(items[request.itemIndex - 1], times).at(-1) ?? ended);
  const known = model === undefined ? undefined : findModel(model, models);
  const says = oneLine(redact(blocksOf(item.message).find(isText)?.text ?? ""), LONGEST_LINE);
  return {
    kind: "request",
    id: `request ${point + 1}`,
    turn,
    point,
    at: isoTime(began),
    ms: ended - began,
    inputTokens: promptTokens(usage),
    cachedTokens: usage.cacheRead,
    outputTokens: usage.output,
    ...defined({
      model,
      dollars: known && cost(usage, known),
      thinkingMs: thinkingTime(item, began, times),
      says: says || undefined,
    }),
  };
}

function callStep(
  { call, depth }: CallOfThread,
  { conversation, times, redact }: TraceSources,
  turn: number,
): CallStep {
  const began = times.get(call.row);
  const ended = call.resultRow === undefined ? undefined : times.get(call.resultRow);
  return {
    kind: "call",
    id: call.id,
    turn,
    depth,
    at: isoTime(began ?? ended ?? 0),
    tool: call.name,
    line: redact(actionOf(call, conversation.cwd).line),
    outcome: call.outcome,
    ...defined({
      ms: began === undefined || ended === undefined ? undefined : Math.max(0, ended - began),
    }),
  };
}

const editStep = (event: WindowEvent, turn: number): EditStep => ({
  kind: "edit",
  id: event.id,
  turn,
  at: event.at,
  event,
});

/** The calls of each message, those of subagents behind the call that started them. */
function callsByItem(calls: readonly CallOfThread[]) {
  const byItem = new Map<number, CallOfThread[]>();
  let own: CallOfThread[] = [];
  for (const one of calls) {
    if (one.depth === 0) {
      own = byItem.get(one.call.at) ?? [];
      byItem.set(one.call.at, own);
    }
    own.push(one);
  }
  return byItem;
}

function eventsByPoint(events: readonly WindowEvent[]) {
  const byPoint = new Map<number, WindowEvent[]>();
  for (const event of events) byPoint.set(event.point, [...(byPoint.get(event.point) ?? []), event]);
  return byPoint;
}

/** Every request with the edits that it was the first to see before it, and its calls behind it. */
export function traceSteps(sources: TraceSources): TraceStep[] {
  const { conversation, calls, events } = sources;
  const { items, requests } = conversation;
  const turnOf = turnAt(items);
  const byItem = callsByItem(calls);
  const seenFirst = eventsByPoint(events);
  const pointAt = new Map(requests.map(({ itemIndex }, point) => [itemIndex, point]));
  const steps: TraceStep[] = [];
  items.forEach((_, index) => {
    const turn = turnOf(index);
    const point = pointAt.get(index);
    if (point !== undefined) {
      steps.push(...(seenFirst.get(point) ?? []).map((event) => editStep(event, turn)));
      const request = requestStep(sources, point, turn);
      if (request) steps.push(request);
    }
    for (const call of byItem.get(index) ?? []) steps.push(callStep(call, sources, turn));
  });
  const last = turnOf(items.length - 1);
  const later = seenFirst.get(requests.length) ?? [];
  return [...steps, ...later.map((event) => editStep(event, last))];
}
