// One connection upstream, and the loop that carries its responses to the client.
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { gunzipSync } from "node:zlib";
import { ByteReader, flushed, send } from "./byteReader.ts";
import type { WindowEngine } from "./engine.ts";
import type { Exchange } from "./exchange.ts";
import {
  BodyReader,
  type Head,
  headerOf,
  NotHttp,
  readResponseHead,
  responseFraming,
  statusOf,
} from "./http1.ts";
import { ResponseWatcher } from "./responseWatcher.ts";

interface LinkOptions {
  readonly key: string;
  readonly upstream: Socket;
  readonly client: Duplex;
  /** Ends the client's connection as a failed one. */
  cut(): void;
}

/** What may be done about a refusal. */
interface Recovery {
  readonly engine: WindowEngine;
  resend(body: Buffer): Promise<void>;
}

/** A refusal is short; more than this is not held back. */
const MOST_REFUSAL_BYTES = 256 * 1024;
const MOST_ATTEMPTS = 6;
const BAD_REQUEST = 400;
const NO_BYTES = Buffer.alloc(0);

export class Link {
  readonly key: string;
  readonly upstream: Socket;
  readonly #client: Duplex;
  readonly #cut: () => void;
  readonly #reader: ByteReader;
  #exchange: Exchange | undefined;
  #recovery: Recovery | undefined;
  /** The client's connection goes on with another link. */
  #isRetired = false;
  #closesAfterResponse = false;

  constructor({ key, upstream, client, cut }: LinkOptions) {
    this.key = key;
    this.upstream = upstream;
    this.#client = client;
    this.#cut = cut;
    this.#reader = new ByteReader(upstream);
    this.#run().catch(() => cut());
  }

  get isReusable(): boolean {
    const { destroyed, writableEnded } = this.upstream;
    return !this.#closesAfterResponse && !destroyed && !writableEnded && !this.#reader.isDrained;
  }

  /** The next response answers this request. */
  expect(exchange: Exchange, recovery: Recovery | undefined): void {
    this.#exchange = exchange;
    this.#recovery = recovery;
  }

  /** Lets the connection end without the client's. */
  retire(): void {
    this.#isRetired = true;
    this.upstream.destroy();
  }

  /** The client is gone, or what it asked for. */
  drop(): void {
    this.upstream.destroy();
    this.#exchange?.finish();
  }

  async #run() {
    try {
      while (await this.#carryResponse());
    } catch (error) {
      if (!(error instanceof NotHttp)) throw error;
      await this.#carryUnread(error.bytes);
    }
    if (this.#isRetired) return;
    // An upstream that ends and one that fails look different to the client, as they would without us.
    await flushed(this.#client);
    if (this.upstream.errored) this.#cut();
    else this.#client.end();
    this.#exchange?.finish();
  }

  /** False at the end of the upstream's responses. */
  async #carryResponse(): Promise<boolean> {
    const head = await readResponseHead(this.#reader);
    if (!head || this.#isRetired) return false;
    const exchange = this.#exchange;
    // A response to nothing, such as a timeout of an idle connection.
    if (!exchange) throw new NotHttp(head.bytes);
    const status = statusOf(head);
    if (status < 200) return this.#carryInterim(head, exchange, status);
    const body = new BodyReader(this.#reader, responseFraming(head, exchange.method));
    this.#closesAfterResponse = /\bclose\b/i.test(headerOf(head, "connection") ?? "");
    const held = this.#canRecover(exchange, status) ? await this.#hold(head, body) : undefined;
    if (held && (await this.#recover(exchange, held))) return !this.#isRetired;
    await this.#carryFinal(exchange, head, body, held?.wire);
    this.#exchange = undefined;
    exchange.finish();
    return body.isWhole && !this.#closesAfterResponse;
  }

  async #carryInterim(head: Head, exchange: Exchange, status: number): Promise<boolean> {
    if (status === 100 && exchange.isContinued) {
      exchange.isContinued = false;
      return true;
    }
    if (status !== 101) {
      await send(this.#client, head.bytes);
      return true;
    }
    exchange.isUpgraded = true;
    this.#exchange = undefined;
    exchange.finish();
    throw new NotHttp(head.bytes);
  }

  async #carryFinal(exchange: Exchange, head: Head, body: BodyReader, held: readonly Buffer[] = []) {
    const { request } = exchange;
    if (request) request.body = NO_BYTES;
    const watcher = request && this.#recovery && new ResponseWatcher(head);
    await send(this.#client, Buffer.concat([head.bytes, ...held]));
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      await send(this.#client, piece.wire);
      if (watcher) for (const content of piece.content) watcher.take(content);
    }
    const engine = this.#recovery?.engine;
    if (watcher && request && engine)
      watcher.finish(body.isWhole).then(
        (outcome) => engine.observe(request, outcome),
        () => undefined,
      );
  }

  #canRecover({ request, attempts }: Exchange, status: number) {
    return status === BAD_REQUEST && request !== undefined && this.#recovery && attempts < MOST_ATTEMPTS;
  }

  /** The whole body of a refusal, or its beginning. */
  async #hold(head: Head, body: BodyReader) {
    const { wire, content } = await body.collect(MOST_REFUSAL_BYTES).catch((error: unknown) => {
      throw error instanceof NotHttp ? new NotHttp(Buffer.concat([head.bytes, error.bytes])) : error;
    });
    return { wire, text: body.isWhole ? decoded(head, Buffer.concat(content)) : undefined };
  }

  /** True where another request was sent instead of handing the refusal to the client. */
  async #recover(exchange: Exchange, { text }: { readonly text: Buffer | undefined }) {
    const { request, attempts } = exchange;
    const recovery = this.#recovery;
    if (!text || !request || !recovery) return false;
    const refusal = { status: BAD_REQUEST, body: text, attempt: attempts };
    const body = await recovery.engine.recover(request, refusal).catch(() => undefined);
    if (!body) return false;
    exchange.attempts += 1;
    return recovery.resend(body).then(
      () => true,
      () => false,
    );
  }

  async #carryUnread(first: Buffer) {
    await send(this.#client, first);
    for (let bytes = await this.#reader.next(); bytes !== undefined; bytes = await this.#reader.next())
      await send(this.#client, bytes);
  }
}

/** The text of a refusal; undefined where it cannot be read. */
function decoded(head: Head, bytes: Buffer) {
  const encoding = headerOf(head, "content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity") return bytes;
  if (encoding !== "gzip") return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: 4 * MOST_REFUSAL_BYTES });
  } catch {
    return undefined;
  }
}
