// Reads the client's messages: recognises what was sent before, so that only the rest is examined.
import { type Breakpoints, liftBreakpoints, type Message } from "../messages/index.ts";
import { assertReadable } from "./validity.ts";

export interface Received {
  /** The messages as the client sent them. */
  readonly raw: readonly Message[];
  /** The same without the client's cache breakpoints. */
  readonly bare: readonly Message[];
  readonly breakpoints: Breakpoints;
  /** How many at the beginning are the objects of the last request, unchanged and without breakpoints. */
  readonly recognised: number;
}

/** A message of the last request, with what is looked at again although it is the same object. */
interface ReadMessage {
  readonly message: Message;
  readonly content: Message["content"];
  readonly length: number;
  readonly last: unknown;
}

/** Remembers the messages of the last request. */
export class MessageReader {
  readonly #read: ReadMessage[] = [];

  /** Throws `invalid-history` for values that are no messages. */
  receive(messages: readonly Message[]): Received {
    let recognised = 0;
    if (Array.isArray(messages)) while (this.isAsRead(recognised, messages[recognised])) recognised++;
    assertReadable(messages, recognised);
    const { messages: bare, breakpoints } = liftBreakpoints(messages, recognised);
    return { raw: messages, bare, breakpoints, recognised };
  }

  /** True for the same object whose content, number of blocks and last block are the same too. */
  isAsRead(at: number, message: Message | undefined): boolean {
    const read = this.#read[at];
    if (read === undefined || message !== read.message || message.content !== read.content) return false;
    const { content } = message;
    return typeof content === "string" || (content.length === read.length && content.at(-1) === read.last);
  }

  /** Makes what was received the last request. From its first breakpoint on, the next one is looked into again. */
  goOn({ raw, breakpoints, recognised }: Received): void {
    const end = Math.min(raw.length, ...breakpoints.keys());
    this.#read.length = recognised;
    for (const message of raw.slice(recognised, end)) {
      const { content } = message;
      this.#read.push({ message, content, length: content.length, last: content.at(-1) });
    }
  }
}
