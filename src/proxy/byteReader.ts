// Reads a socket on demand: bounded read-ahead, so that the end of a connection is noticed while nothing is asked of it.
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** More than this waits in the system's buffers, and slows its sender down. */
const READ_AHEAD = 256 * 1024;

export class ByteReader {
  readonly #socket: Duplex;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  readonly #take = (chunk: Buffer) => {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > READ_AHEAD) this.#socket.pause();
    this.#wake?.();
  };

  readonly #end = () => {
    this.#isEnded = true;
    this.#wake?.();
  };

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on("data", this.#take);
    socket.on("end", this.#end);
    socket.on("close", this.#end);
    if (socket.readableEnded || socket.destroyed) this.#isEnded = true;
  }

  /** Whether the sender has ended and nothing is left to read. */
  get isDrained(): boolean {
    return this.#isEnded && this.#chunks.length === 0;
  }

  /** Lets go of the socket, which has what was not read in front of it again. */
  release(): void {
    this.#socket.pause();
    this.#socket.off("data", this.#take);
    this.#socket.off("end", this.#end);
    this.#socket.off("close", this.#end);
    for (const chunk of this.#chunks.splice(0).toReversed()) this.#socket.unshift(chunk);
  }

  /** The next bytes; undefined at the end. One call at a time. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#waiting -= chunk.length;
        if (this.#waiting <= READ_AHEAD && this.#socket.isPaused()) this.#socket.resume();
        return chunk;
      }
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /** Puts bytes back that were read too far. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.unshift(bytes);
    this.#waiting += bytes.length;
  }
}

/** Resolves when the socket takes more; at once where it is gone, which its reader notices. */
export async function send(socket: Duplex, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || socket.destroyed || socket.writableEnded) return;
  if (socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}

const FLUSH_POLL_MS = 5;

/** Resolves when what was written has left this process, or cannot any more. */
export async function flushed(socket: Duplex): Promise<void> {
  while (socket.writableLength > 0 && !socket.destroyed) await sleep(FLUSH_POLL_MS);
}
