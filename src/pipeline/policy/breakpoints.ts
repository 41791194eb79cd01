// Cache breakpoints for callers that let us place them: at most four, where reads will find them.
import { type Block, blocksOf, isText, isThinking, type Message } from "../../messages/index.ts";

/** The API looks for a cached prefix this many blocks back from a breakpoint, the breakpoint counted. */
const LOOKBACK = 20;
/** A breakpoint in between when this many blocks were added: safely inside the lookback. */
const STRIDE = 15;
const MOST = 4;

export interface BreakpointOptions {
  /** Breakpoints that system prompt and tools use up already. */
  readonly reserved?: number;
  readonly ttl?: "5m" | "1h";
  /** How many messages the last request had: its end is the prefix that is cached. */
  readonly sent?: number;
}

/**
 * The messages with `cache_control` on: the end of this request, the end of the last one, and, where more blocks
 * were added than a lookback spans, one in between. Breakpoints that were there before are removed.
 */
export function placeBreakpoints(
  messages: readonly Message[],
  options: BreakpointOptions = {},
): readonly Message[] {
  const room = Math.max(0, MOST - (options.reserved ?? 0));
  const chosen = choosePlaces(messages, options.sent ?? 0).slice(0, room);
  const places = new Map(chosen.map(({ message, block }) => [message, block]));
  const control = { type: "ephemeral", ...(options.ttl === "1h" ? { ttl: "1h" } : {}) };
  return messages.map((message, at) => marked(message, places.get(at), control));
}

interface Place {
  readonly message: number;
  readonly block: number;
  /** Blocks before and including it, over all messages. */
  readonly position: number;
}

function choosePlaces(messages: readonly Message[], sent: number): Place[] {
  const places = eligiblePlaces(messages);
  const end = places.at(-1);
  if (!end) return [];
  const lastEnd = places.findLast(({ message }) => message < sent);
  if (!lastEnd || lastEnd === end) return [end];
  if (end.position - lastEnd.position < STRIDE)
    return end.position - lastEnd.position < LOOKBACK ? [end, lastEnd] : [end];
  const between = places.findLast(
    ({ position }) => position <= end.position - STRIDE && position > lastEnd.position,
  );
  return between ? [end, lastEnd, between] : [end, lastEnd];
}

/** The last block of each message that may carry a breakpoint: no thinking, no empty text. */
function eligiblePlaces(messages: readonly Message[]): Place[] {
  const places: Place[] = [];
  let position = 0;
  messages.forEach((message, at) => {
    const blocks = blocksOf(message);
    const block = blocks.findLastIndex((one) => !isThinking(one) && !(isText(one) && one.text === ""));
    if (block >= 0 && message.role !== "system")
      places.push({ message: at, block, position: position + block + 1 });
    position += blocks.length;
  });
  return places;
}

function marked(message: Message, block: number | undefined, control: object): Message {
  const carries =
    typeof message.content !== "string" && message.content.some((one) => "cache_control" in one);
  if (block === undefined && !carries) return message;
  const content = blocksOf(message).map((one, at): Block => {
    const { cache_control: _old, ...rest } = one;
    return at === block ? { ...rest, type: one.type, cache_control: control } : { ...rest, type: one.type };
  });
  return { ...message, content };
}
