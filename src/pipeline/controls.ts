// The client's cache breakpoints: lifted off before planning, so that moving them changes nothing, and put back after.
import { type Block, blocksOf, type History, type Message } from "../messages/index.ts";

/** Where breakpoints stood: index of the message, then of the block. */
export type Breakpoints = ReadonlyMap<number, ReadonlyMap<number, unknown>>;

interface Lifted {
  readonly messages: readonly Message[];
  readonly breakpoints: Breakpoints;
}

/** Messages before `start` are known to carry none. */
export function liftBreakpoints(messages: readonly Message[], start: number): Lifted {
  const breakpoints = new Map<number, ReadonlyMap<number, unknown>>();
  for (let at = start; at < messages.length; at++) {
    const content = messages[at]?.content;
    if (typeof content === "object" && content !== null && hasControl(content))
      breakpoints.set(at, controlsOf(content));
  }
  if (breakpoints.size === 0) return { messages, breakpoints };
  const bare = messages.slice();
  for (const at of breakpoints.keys()) bare[at] = withoutControls(messages[at] as Message);
  return { messages: bare, breakpoints };
}

function hasControl(content: readonly Block[]): boolean {
  return content.some((block) => block?.cache_control !== undefined);
}

function controlsOf(content: readonly Block[]): ReadonlyMap<number, unknown> {
  const controls = new Map<number, unknown>();
  content.forEach((block, at) => {
    if (block.cache_control !== undefined) controls.set(at, block.cache_control);
  });
  return controls;
}

function withoutControls(message: Message): Message {
  const content = blocksOf(message).map((block): Block => {
    const { cache_control: _lifted, ...rest } = block;
    return { ...rest, type: block.type };
  });
  return { ...message, content };
}

/** Breakpoints back on the messages that still stand; one whose message left goes with it. */
export function putBack(
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
    const content = blocksOf(message).map(
      (block, index): Block =>
        controls.has(index) ? { ...block, cache_control: controls.get(index) } : block,
    );
    return { ...message, content };
  });
}
