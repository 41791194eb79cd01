// Carries one client's connection: every request upstream and every response back, as the bytes that came unless the
// engine gives another body.
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ByteReader, send } from "./byteReader.ts";
import type { Answer, ModelRequest, WindowEngine } from "./engine.ts";
import { Exchange, isModelRequest, safeHeaders, targetOf } from "./exchange.ts";
import {
  BodyReader,
  changedHead,
  type Head,
  type HeadChanges,
  headerOf,
  NotHttp,
  readHead,
  requestFraming,
} from "./http1.ts";
import { Link } from "./link.ts";
import { askUpstream } from "./oneRequest.ts";

/** Where a request goes. Requests with one key may share a connection. */
export interface Route {
  readonly key: string;
  dial(): Promise<Socket>;
  readonly changes?: HeadChanges;
  /** Absent where bodies are not looked into. */
  readonly engine?: WindowEngine;
}

interface RelayOptions {
  readonly client: Duplex;
  /** The connection below TLS, to end it as the upstream ended. */
  readonly rawClient: Socket;
  readonly reader?: ByteReader;
  /** Undefined where the request names no place to go. */
  route(head: Head): Route | undefined;
  /** Where bytes go that are not HTTP. */
  readonly otherwise?: Route;
  /** A connection that was made already, to the place of `otherwise`. */
  readonly upstream?: Socket;
}

/** The API refuses more than 32 MB; a longer body is carried on unread. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

interface Collected {
  readonly wire: readonly Buffer[];
  readonly content: readonly Buffer[];
  /** Whole, of a size that can be edited, and with nothing behind it that an edit would lose. */
  readonly isEditable: boolean;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #client: Duplex;
  readonly #reader: ByteReader;
  #link: Link | undefined;
  #isSending = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#reader = options.reader ?? new ByteReader(options.client);
    if (options.upstream && options.otherwise)
      this.#link = this.#linked(options.otherwise.key, options.upstream);
    this.#client.on("error", () => this.#client.destroy());
    this.#client.on("close", () => this.#link?.drop());
    this.#client.on("end", () => this.#passOnEnd());
  }

  /** Ends with the client's connection. Never rejects. */
  async run(): Promise<void> {
    try {
      while (await this.#carryRequest());
    } catch (error) {
      if (error instanceof NotHttp) await this.#carryUnread(error.bytes);
      // Without an upstream the client sees what it would have seen without us: a connection that fails.
      else this.#cut();
    }
  }

  /** False at the end of the client's requests. */
  async #carryRequest(): Promise<boolean> {
    const head = await readHead(this.#reader);
    if (!head) {
      this.#passOnEnd();
      return false;
    }
    const framing = requestFraming(head);
    const route = this.#options.route(head);
    if (!route) {
      this.#cut();
      return false;
    }
    const exchange = new Exchange(head, route.changes);
    this.#isSending = true;
    const body = new BodyReader(this.#reader, framing);
    if (route.engine && isModelRequest(head))
      await this.#sendModelRequest(exchange, route, route.engine, body);
    else await this.#sendUnread(exchange, route, body);
    this.#isSending = false;
    if (this.#reader.isDrained) this.#passOnEnd();
    await exchange.finished;
    if (!exchange.isUpgraded) return !this.#client.destroyed;
    await this.#carryUnread(Buffer.alloc(0));
    return false;
  }

  /** The head as it is sent upstream. */
  #headOf({ head, changes }: Exchange, more: HeadChanges = {}): Buffer {
    const headers = { ...changes?.headers, ...more.headers };
    const target = changes?.target;
    if (target === undefined && Object.keys(headers).length === 0) return head.bytes;
    return changedHead(head, { headers, ...(target !== undefined && { target }) });
  }

  async #sendUnread(exchange: Exchange, route: Route, body: BodyReader, before: readonly Buffer[] = []) {
    const { upstream } = await this.#linkFor(route, exchange);
    await send(upstream, Buffer.concat([this.#headOf(exchange), ...before]));
    for (let piece = await body.next(); piece !== undefined; piece = await body.next())
      await send(upstream, piece.wire);
  }

  async #sendModelRequest(exchange: Exchange, route: Route, engine: WindowEngine, body: BodyReader) {
    const { head } = exchange;
    if (/100-continue/i.test(headerOf(head, "expect") ?? "")) {
      exchange.isContinued = true;
      await send(this.#client, Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
    }
    const { wire, content, isEditable } = await this.#collect(exchange, route, body);
    if (!isEditable) return this.#sendUnread(exchange, route, body, wire);
    const request: ModelRequest = {
      path: targetOf(head),
      headers: safeHeaders(head),
      body: Buffer.concat(content),
      ask: (bytes) => this.#ask(exchange, route, bytes),
    };
    exchange.request = request;
    const edited = await engine.edit(request).catch(() => undefined);
    const { upstream } = await this.#linkFor(route, exchange);
    if (!edited) await send(upstream, Buffer.concat([this.#headOf(exchange), ...wire]));
    else await this.#sendBody(upstream, exchange, edited);
  }

  /** What the client sends as a body, up to a size. Throws `NotHttp` after the head was sent on. */
  async #collect(exchange: Exchange, route: Route, body: BodyReader): Promise<Collected> {
    const { wire, content } = await body.collect(MOST_BODY_BYTES).catch(async (error: unknown) => {
      if (error instanceof NotHttp) {
        const { upstream } = await this.#linkFor(route, exchange);
        await send(upstream, this.#headOf(exchange));
      }
      throw error;
    });
    return { wire, content, isEditable: body.isWhole && !body.hasTrailers && wire.length > 0 };
  }

  #sendBody(upstream: Socket, exchange: Exchange, body: Buffer): Promise<void> {
    const headers = { "content-length": String(body.length), "transfer-encoding": null };
    return send(upstream, Buffer.concat([this.#headOf(exchange, { headers }), body]));
  }

  /** Sends a body of the engine's own on a connection of its own, with the client's headers. */
  async #ask(exchange: Exchange, route: Route, body: Buffer): Promise<Answer> {
    const headers = {
      "content-length": String(body.length),
      "transfer-encoding": null,
      "accept-encoding": "identity",
      connection: "close",
      expect: null,
    };
    return askUpstream(await route.dial(), Buffer.concat([this.#headOf(exchange, { headers }), body]));
  }

  /** Sends a request again after a refusal. */
  async #resend(exchange: Exchange, route: Route, body: Buffer) {
    const { upstream } = await this.#linkFor(route, exchange);
    await this.#sendBody(upstream, exchange, body);
    if (this.#reader.isDrained) this.#passOnEnd();
  }

  #linked(key: string, upstream: Socket): Link {
    return new Link({ key, upstream, client: this.#client, cut: () => this.#cut() });
  }

  /** The connection for a route: the one at hand, or a new one. Responses on it belong to the exchange. */
  async #linkFor(route: Route, exchange: Exchange): Promise<Link> {
    if (!this.#link || this.#link.key !== route.key || !this.#link.isReusable) {
      this.#link?.retire();
      this.#link = undefined;
      const upstream = await route.dial();
      // It left while the connection was made.
      if (this.#client.destroyed) upstream.destroy();
      this.#link = this.#linked(route.key, upstream);
    }
    const { engine } = route;
    this.#link.expect(exchange, engine && { engine, resend: (body) => this.#resend(exchange, route, body) });
    return this.#link;
  }

  async #carryUnread(first: Buffer) {
    try {
      const { otherwise } = this.#options;
      if (!this.#link && otherwise) this.#link = this.#linked(otherwise.key, await otherwise.dial());
      const upstream = this.#link?.upstream;
      if (!upstream) return this.#cut();
      await send(upstream, first);
      for (let bytes = await this.#reader.next(); bytes !== undefined; bytes = await this.#reader.next())
        await send(upstream, bytes);
      upstream.end();
    } catch {
      this.#cut();
    }
  }

  /** The client sends no more: so does this side, once what it sent is on its way. */
  #passOnEnd() {
    if (!this.#isSending && this.#reader.isDrained) {
      if (!this.#link) this.#client.end();
      else this.#link.upstream.end();
    }
  }

  #cut() {
    this.#link?.drop();
    // Before TLS can say goodbye.
    this.#options.rawClient.resetAndDestroy();
    this.#client.destroy();
  }
}
