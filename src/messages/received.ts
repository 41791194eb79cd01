// Reads the client's messages: recognises what was sent before, so that only the rest is examined.
import { ThroughlineError } from "../lib/index.ts";
import { type Breakpoints, liftBreakpoints } from "./breakpoints.ts";
import type { Message } from "./model.ts";

export interface Received {
  /** The messages as the client sent them. */
  readonly raw: readonly Message[];
  /** The same without the client's cache breakpoints. */
  readonly bare: readonly Message[];
  readonly breakpoints: Breakpoints;
  /** How many at the beginning are the objects of the last request, unchanged and without breakpoints. */
  readonly recognised: number;
}

/** Remembers the messages of the last request, and of each what is looked at again although it is the same object. */
export class MessageReader {
  readonly #messages: Message[] = [];
  readonly #contents: Message["content"][] = [];
  readonly #lengths: number[] = [];
  readonly #lastBlocks: unknown[] = [];

  /** Throws `invalid-history` for values that are no messages. */
  receive(messages: readonly Message[]): Received {
    const recognised = Array.isArray(messages) ? this.#recognise(messages) : 0;
    assertReadable(messages, recognised);
    const { messages: bare, breakpoints } = liftBreakpoints(messages, recognised);
    return { raw: messages, bare, breakpoints, recognised };
  }

  #recognise(messages: readonly Message[]) {
    const limit = Math.min(messages.length, this.#messages.length);
    let at = 0;
    while (at < limit && this.isAsRead(at, messages[at])) at++;
    return at;
  }

  /** True for the same object whose content, number of blocks and last block are the same too. */
  isAsRead(at: number, message: Message | undefined) {
    if (!message || message !== this.#messages[at]) return false;
    const { content } = message;
    if (content !== this.#contents[at]) return false;
    return (
      typeof content === "string" ||
      (content.length === this.#lengths[at] && content[content.length - 1] === this.#lastBlocks[at])
    );
  }

  /** Makes what was received the last request. From its first breakpoint on, the next one is looked into again. */
  goOn({ raw, breakpoints, recognised }: Received) {
    const end = Math.min(raw.length, ...breakpoints.keys());
    for (const list of [this.#messages, this.#contents, this.#lengths, this.#lastBlocks])
      list.length = recognised;
    for (let at = recognised; at < end; at++) {
      const message = raw[at] as Message;
      const { content } = message;
      this.#messages.push(message);
      this.#contents.push(content);
      this.#lengths.push(content.length);
      this.#lastBlocks.push(content[content.length - 1]);
    }
  }
}

/** Throws `invalid-history` for values from `start` on that are no messages at all, before anything looks into them. */
function assertReadable(messages: readonly Message[], start: number) {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ThroughlineError("invalid-history", "there are no messages", "send at least one message");
  for (let at = start; at < messages.length; at++) {
    const message = messages[at] as { content?: unknown } | null | undefined;
    if (typeof message?.content === "string" || Array.isArray(message?.content)) continue;
    throw new ThroughlineError(
      "invalid-history",
      `message ${at} has no content`,
      "send content as a string or as blocks with a type",
    );
  }
}
