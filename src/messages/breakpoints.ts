// Cache breakpoints (`cache_control`): placed for callers that have none, lifted off before planning, and put back after.
import { type Block, blocksOf, type History, isText, isThinking, type Message } from "./model.ts";

/** The API looks for a cached prefix this many blocks back from a breakpoint, the breakpoint counted. */
const LOOKBACK = 20;
/** A breakpoint in between when this many blocks were added: safely inside the lookback. */
const STRIDE = 15;
const MOST_BREAKPOINTS = 4;

/** How long a breakpoint lives. */
type CacheLifetime = "5m" | "1h";

/** Where cache breakpoints are placed. */
export interface BreakpointOptions {
  /** Breakpoints that system prompt and tools use up already. */
  readonly reserved?: number;
  /** Lifetime of what this request adds. */
  readonly ttl?: CacheLifetime;
  /** Lifetime of what was sent before; never shorter than `ttl`, since the API wants the longer ones first. */
  readonly earlierTtl?: CacheLifetime;
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
  const { reserved = 0, ttl = "5m", earlierTtl = ttl, sent = 0 } = options;
  const places = choosePlaces(eligiblePlaces(messages), sent, Math.max(0, MOST_BREAKPOINTS - reserved));
  const newest = Math.max(...places.map(({ message }) => message));
  const earlier = ttl === "1h" ? ttl : earlierTtl;
  const chosen = new Map(
    places.map(({ message, block }) => [
      message,
      { block, control: control(message === newest ? ttl : earlier) },
    ]),
  );
  return messages.map((message, at) => marked(message, chosen.get(at)));
}

const control = (ttl: CacheLifetime): object => ({ type: "ephemeral", ...(ttl === "1h" && { ttl }) });

interface BreakpointPlace {
  readonly message: number;
  readonly block: number;
  /** Blocks before and including it, over all messages. */
  readonly position: number;
}

/** At most `room` places: where this request ends, where the last one did, and one between if they are far apart. */
function choosePlaces(
  places: readonly BreakpointPlace[],
  sent: number,
  room: number,
): readonly BreakpointPlace[] {
  const end = places.at(-1);
  if (!end || room === 0) return [];
  const lastEnd = places.findLast(({ message }) => message < sent);
  if (!lastEnd || lastEnd === end) return [end];
  const isNear = (place: BreakpointPlace) => place.position - lastEnd.position < LOOKBACK;
  // With one breakpoint alone, a read that hits is worth more than a write of the last blocks.
  if (room === 1) return [places.findLast(isNear) ?? end];
  const between = places.findLast(
    ({ position }) => position <= end.position - STRIDE && position > lastEnd.position,
  );
  return [end, lastEnd, ...(between ? [between] : [])].slice(0, room);
}

/** The last block of each message that may carry a breakpoint: no thinking, no empty text. */
function eligiblePlaces(messages: readonly Message[]) {
  const places: BreakpointPlace[] = [];
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

function marked(message: Message, chosen: { block: number; control: object } | undefined) {
  if (!chosen && !carriesControl(message.content)) return message;
  const content = blocksOf(message).map((block, at) => {
    const bare = withoutControl(block) as Block;
    return at === chosen?.block ? { ...bare, cache_control: chosen.control } : bare;
  });
  return { ...message, content };
}

/** Blocks inside a result can carry breakpoints too, and count. */
function carriesControl(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block: Block) => block.cache_control !== undefined || carriesControl(block.content));
}

function withoutControl(block: Block): object {
  const { cache_control: _old, ...rest } = block;
  if (!carriesControl(block.content)) return rest;
  return { ...rest, content: (block.content as readonly Block[]).map(withoutControl) };
}

/** Where breakpoints stood: index of the message, then of the block. */
export type Breakpoints = ReadonlyMap<number, ReadonlyMap<number, unknown>>;

/** Messages before `start` are known to carry none. */
export function liftBreakpoints(
  messages: readonly Message[],
  start: number,
): { readonly messages: readonly Message[]; readonly breakpoints: Breakpoints } {
  const breakpoints = new Map<number, ReadonlyMap<number, unknown>>();
  for (let at = start; at < messages.length; at++) {
    const content = messages[at]?.content;
    if (typeof content !== "object" || !content?.some(hasControl)) continue;
    const controls = controlsOf(content);
    if (controls.size > 0) breakpoints.set(at, controls);
  }
  if (breakpoints.size === 0) return { messages, breakpoints };
  const bare = messages.slice();
  for (const at of breakpoints.keys()) bare[at] = withoutCacheControls(messages[at] as Message);
  return { messages: bare, breakpoints };
}

/** Tolerates content that is not of the API's shape: `check` reports it. */
const hasControl = (block: Block | null | undefined) => block?.cache_control !== undefined;

const controlsOf = (content: readonly Block[]): ReadonlyMap<number, unknown> =>
  new Map(
    content
      .map((block, at) => [at, block?.cache_control] as const)
      .filter(([, control]) => control !== undefined),
  );

function withoutCacheControls(message: Message): Message {
  const content = blocksOf(message).map((block): Block => {
    const { cache_control: _lifted, ...rest } = block;
    return { ...rest, type: block.type };
  });
  return { ...message, content };
}

/** Breakpoints back on the messages that still stand; one whose message left goes with it. */
export function putBackBreakpoints(
  messages: readonly Message[],
  items: History,
  history: History,
  breakpoints: Breakpoints,
): readonly Message[] {
  if (breakpoints.size === 0) return messages;
  const byId = new Map([...breakpoints].map(([at, controls]) => [history[at]?.id, controls]));
  return messages.map((message, at) => {
    const controls = byId.get(items[at]?.id ?? "");
    if (!controls) return message;
    const content = blocksOf(message).map((block, index) =>
      controls.has(index) ? { ...block, cache_control: controls.get(index) } : block,
    );
    return { ...message, content };
  });
}
