// The proxy's listener: a base URL that stands for one upstream, or an HTTPS proxy that ends TLS for one host.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Environment } from "../home/index.ts";
import { ByteReader } from "./byteReader.ts";
import { dialHttp, dialProxy, dialTunnel, ProxyRefusal, proxyCredentials } from "./dial.ts";
import type { WindowEngine } from "./engine.ts";
import { methodOf, targetOf } from "./exchange.ts";
import { type Head, headerOf, readHead } from "./http1.ts";
import { Relay, type Route } from "./relay.ts";
import { certifyHost } from "./tls/certificate.ts";
import { upstreamTrust } from "./tls/trust.ts";
import { tunnel } from "./tunnel.ts";
import { proxyFor, type Target } from "./upstreamProxy.ts";

interface ProxyOptions {
  /** Absent: everything passes unread. */
  readonly engine?: WindowEngine;
  /** Names the user's own proxy and authorities. */
  readonly env: Environment;
  /** 0 lets the system choose. */
  readonly port?: number;
}

interface RunningProxy {
  readonly port: number;
  close(): Promise<void>;
}

interface RunningHttpsProxy extends RunningProxy {
  /** With the credentials that it asks for. */
  readonly url: string;
  /** The certificate of the authority that it ends TLS with. */
  readonly authority: string;
}

async function listening(port: number, accept: (socket: Socket) => Promise<void>): Promise<RunningProxy> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    accept(socket).catch(() => socket.resetAndDestroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

const addressOf = ({ hostname, port, protocol }: URL): Target => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: Number(port) || (protocol === "https:" ? 443 : 80),
});

/** Dials one upstream, by the user's own proxy where that is set for it. */
function dialerFor(upstream: URL, env: Environment, trust: SecureContext) {
  const target = addressOf(upstream);
  const proxy = proxyFor(target, env);
  return () => dialHttp(target, upstream.protocol === "https:", { proxy, trust });
}

/** Listens as a base URL: every request goes to the upstream, below its path. */
export async function startBaseUrlProxy(upstream: URL, options: ProxyOptions): Promise<RunningProxy> {
  const { engine, env, port = 0 } = options;
  const dial = dialerFor(upstream, env, upstreamTrust(env));
  const below = upstream.pathname.replace(/\/+$/, "");
  const route = (head: Head): Route => ({
    key: "upstream",
    dial,
    changes: {
      headers: { host: upstream.host },
      ...(below !== "" && { target: below + targetOf(head) }),
    },
    ...(engine && { engine }),
  });
  return listening(port, async (socket) => {
    await new Relay({ client: socket, rawClient: socket, route, otherwise: { key: "upstream", dial } }).run();
  });
}

const reply = (socket: Socket, status: string, header = "") =>
  socket.end(`HTTP/1.1 ${status}\r\n${header}content-length: 0\r\nconnection: close\r\n\r\n`);

const HTTPS_PORT = 443;

function targetOfConnect(head: Head): Target | undefined {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(targetOf(head)) ?? [];
  return host === undefined ? undefined : { host, port: Number(port) };
}

/** Reads the credentials without telling by its time how much of them was right. */
function isAdmitted(head: Head, credentials: string) {
  const given = Buffer.from(headerOf(head, "proxy-authorization") ?? "");
  const wanted = Buffer.from(credentials);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Where a request for a plain address goes: its host, or the user's own proxy. */
function plainRoute(head: Head, env: Environment, trust: SecureContext): Route | undefined {
  const given = targetOf(head);
  if (!given.startsWith("http://") || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const target = addressOf(url);
  const proxy = proxyFor(target, env);
  const own = { "proxy-authorization": null, "proxy-connection": null };
  if (!proxy) {
    const path = given.slice(given.indexOf(url.host, "http://".length) + url.host.length) || "/";
    return {
      key: url.host,
      dial: () => dialTunnel(target, { proxy, trust }),
      changes: { target: path, headers: own },
    };
  }
  const credentials = proxyCredentials(proxy) ?? null;
  return {
    key: proxy.href,
    dial: () => dialProxy(proxy, trust),
    changes: { headers: { ...own, "proxy-authorization": credentials } },
  };
}

interface HttpsProxyOptions extends ProxyOptions {
  /** The one host whose TLS is ended here. */
  readonly host: string;
}

/** Listens as an HTTPS proxy: one host's requests are read, all other connections are tunnelled. */
export async function startHttpsProxy(options: HttpsProxyOptions): Promise<RunningHttpsProxy> {
  const { engine, env, host, port = 0 } = options;
  const trust = upstreamTrust(env);
  const { authority, certificate, key } = certifyHost(host, Date.now());
  const secureContext = createSecureContext({ cert: certificate, key });
  const password = randomBytes(16).toString("hex");
  const credentials = `Basic ${Buffer.from(`throughline:${password}`).toString("base64")}`;
  const dial = dialerFor(new URL(`https://${host}`), env, trust);
  const route: Route = { key: host, dial, ...(engine && { engine }) };

  const endTls = async (socket: Socket, reader: ByteReader) => {
    const connection = await dial();
    reader.release();
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const client = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] });
    const relay = { client, rawClient: socket, route: () => route, otherwise: route, upstream: connection };
    await new Relay(relay).run();
  };

  const connectTo = async (target: Target, socket: Socket, reader: ByteReader) => {
    try {
      if (target.host === host && target.port === HTTPS_PORT) return await endTls(socket, reader);
      const other = await dialTunnel(target, { proxy: proxyFor(target, env), trust });
      reader.release();
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      tunnel(socket, other);
    } catch (error) {
      if (error instanceof ProxyRefusal) socket.end(error.head.bytes);
      else reply(socket, "502 Bad Gateway");
    }
  };

  const proxy = await listening(port, async (socket) => {
    const reader = new ByteReader(socket);
    const head = await readHead(reader);
    if (!head) return void socket.end();
    if (!isAdmitted(head, credentials))
      return void reply(
        socket,
        "407 Proxy Authentication Required",
        'proxy-authenticate: Basic realm="throughline"\r\n',
      );
    if (methodOf(head) !== "CONNECT") {
      reader.unread(head.bytes);
      const plain = (next: Head) => plainRoute(next, env, trust);
      return new Relay({ client: socket, rawClient: socket, reader, route: plain }).run();
    }
    const target = targetOfConnect(head);
    if (!target) return void reply(socket, "400 Bad Request");
    await connectTo(target, socket, reader);
  });
  return { ...proxy, authority, url: `http://throughline:${password}@127.0.0.1:${proxy.port}` };
}
