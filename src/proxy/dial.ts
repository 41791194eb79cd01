// Connections upstream: directly, or through the user's own proxy; with TLS where the upstream wants it.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { ByteReader } from "./byteReader.ts";
import { type Head, NotHttp, readResponseHead, statusOf } from "./http1.ts";
import type { Target } from "./upstreamProxy.ts";

/** The user's own proxy refused the connection; a client that speaks to it directly would read this. */
export class ProxyRefusal extends Error {
  readonly head: Head;

  constructor(head: Head) {
    super(`the proxy answered ${head.startLine}`);
    this.head = head;
  }
}

interface DialOptions {
  /** Of the user; undefined for a direct connection. */
  readonly proxy: URL | undefined;
  readonly trust: SecureContext;
}

/** No timeout of our own: the client has one, and its end ends the attempt. */
function established<T extends Socket>(socket: T, event: "connect" | "secureConnect"): Promise<T> {
  return new Promise((resolve, reject) => {
    const close = () => reject(new Error("the connection was closed while it was made"));
    const settle = () => {
      socket.off("error", reject);
      socket.off("close", close);
      resolve(socket);
    };
    // Stays: a later failure ends the socket, and what reads it notices that.
    socket.on("error", () => socket.destroy());
    socket.once("error", reject);
    socket.once("close", close);
    socket.once(event, settle);
  });
}

async function plain({ host, port }: Target): Promise<Socket> {
  const socket = connectTcp({ host, port, allowHalfOpen: true, noDelay: true, keepAlive: true });
  return established(socket, "connect");
}

function encrypted(socket: Socket, host: string, trust: SecureContext): Promise<TLSSocket> {
  const servername = isIP(host) === 0 ? host : "";
  return established(
    connectTls({ socket, host, servername, secureContext: trust, ALPNProtocols: ["http/1.1"] }),
    "secureConnect",
  );
}

const address = ({ host, port }: Target) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** The credentials in the address of a proxy, as the header it wants. */
export function proxyCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** A connection to the user's own proxy itself. */
export async function dialProxy(proxy: URL, trust: SecureContext): Promise<Socket> {
  const isTls = proxy.protocol === "https:";
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const socket = await plain({ host, port: Number(proxy.port) || (isTls ? 443 : 80) });
  return isTls ? encrypted(socket, host, trust) : socket;
}

async function throughProxy(target: Target, proxy: URL, trust: SecureContext) {
  const socket = await dialProxy(proxy, trust);
  const credentials = proxyCredentials(proxy);
  const lines = [
    `CONNECT ${address(target)} HTTP/1.1`,
    `Host: ${address(target)}`,
    ...(credentials === undefined ? [] : [`Proxy-Authorization: ${credentials}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const reader = new ByteReader(socket);
  const head = await readResponseHead(reader).catch((error: unknown) => {
    if (error instanceof NotHttp) return undefined;
    throw error;
  });
  const status = head ? statusOf(head) : 0;
  if (head && status >= 200 && status < 300) {
    reader.release();
    return socket;
  }
  socket.destroy();
  throw head ? new ProxyRefusal(head) : new Error("the proxy did not answer as one");
}

/** A connection that carries the target's bytes unread. */
export function dialTunnel(target: Target, { proxy, trust }: DialOptions): Promise<Socket> {
  return proxy ? throughProxy(target, proxy, trust) : plain(target);
}

/** A connection whose bytes are read here: HTTP, with TLS for `https`. */
export async function dialHttp(target: Target, isTls: boolean, options: DialOptions): Promise<Socket> {
  const socket = await dialTunnel(target, options);
  return isTls ? encrypted(socket, target.host, options.trust) : socket;
}
