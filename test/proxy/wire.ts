// Both ends of the wire for tests of the proxy: an upstream that records the bytes it got, and a client that sends bytes.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { certifyHost } from "../../src/proxy/tls/certificate.ts";

export interface RecordedConnection {
  readonly socket: Socket;
  /** All that came on it so far. */
  bytes(): Buffer;
  size(): number;
  isEnded(): boolean;
}

export interface WireUpstream {
  readonly port: number;
  readonly connections: readonly RecordedConnection[];
  close(): Promise<void>;
}

/** Answers what came on a connection so far; called at every arrival. */
type Respond = (connection: RecordedConnection) => void;

function recorded(socket: Socket, respond: Respond): RecordedConnection {
  const chunks: Buffer[] = [];
  let isEnded = false;
  let size = 0;
  const bytes = (): Buffer => Buffer.concat(chunks);
  const connection = { socket, bytes, size: () => size, isEnded: () => isEnded };
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    respond(connection);
  });
  socket.on("end", () => {
    isEnded = true;
  });
  socket.on("error", () => socket.destroy());
  return connection;
}

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** `identity` makes it speak TLS. */
export async function wireUpstream(
  respond: Respond,
  identity?: { readonly certificate: string; readonly key: string },
): Promise<WireUpstream> {
  const connections: RecordedConnection[] = [];
  const accept = (socket: Socket | TLSSocket): void => {
    connections.push(recorded(socket, respond));
  };
  const server = identity
    ? createTlsServer(
        { cert: identity.certificate, key: identity.key, allowHalfOpen: true, noDelay: true },
        accept,
      )
    : createServer({ allowHalfOpen: true, noDelay: true }, accept);
  // Below TLS too: a connection whose handshake failed is none of the above.
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket));
  const port = await listen(server);
  return {
    port,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of [...connections.map((one) => one.socket), ...open]) socket.destroy();
      }),
  };
}

export interface WireClient {
  readonly socket: Socket;
  bytes(): Buffer;
  send(bytes: string | Uint8Array): void;
  /** Waits until this many bytes came. */
  received(count: number): Promise<void>;
  /** How the connection ended. */
  readonly ended: Promise<"end" | string>;
}

export function clientOn(socket: Socket): WireClient {
  const chunks: Buffer[] = [];
  let size = 0;
  let look: () => void = () => undefined;
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    look();
  });
  const ended = new Promise<string>((resolve) => {
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on("end", () => resolve("end"));
    socket.on("close", () => resolve("close"));
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  return {
    socket,
    bytes,
    ended,
    send: (given) => {
      socket.write(given);
    },
    async received(count) {
      await new Promise<void>((resolve, reject) => {
        look = () => size >= count && resolve();
        look();
        ended.then((how) => reject(new Error(`${size} of ${count} bytes came before ${how}`)));
      });
    },
  };
}

export async function wireClient(port: number): Promise<WireClient> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  await once(socket, "connect");
  return clientOn(socket);
}

/** A connection by CONNECT; gives the head of the proxy's answer with it. */
export async function tunnelled(
  proxy: string,
  target: string,
): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const url = new URL(proxy);
  const socket = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true, noDelay: true });
  await once(socket, "connect");
  const credentials = Buffer.from(`${url.username}:${url.password}`).toString("base64");
  const authorization = url.username === "" ? "" : `Proxy-Authorization: Basic ${credentials}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const [first] = await once(socket, "data");
  return { socket, answer: String(first) };
}

/** TLS inside a tunnel. */
export async function securedBy(socket: Socket, servername: string, ca: string): Promise<TLSSocket> {
  const secured = connectTls({ socket, servername, ca, ALPNProtocols: ["http/1.1"] });
  await once(secured, "secureConnect");
  return secured;
}

/** A certificate that tests trust for a host. */
export const testIdentity = (host: string) => certifyHost(host, Date.now());

export interface ConnectProxy {
  /** As HTTPS_PROXY has it. */
  readonly url: string;
  /** The heads of the requests that came. */
  readonly heads: string[];
  close(): Promise<void>;
}

/** The user's own proxy: leads a host and port to a port of this machine. One that is not listed is refused. */
export async function connectProxy(routes: Readonly<Record<string, number>>): Promise<ConnectProxy> {
  const heads: string[] = [];
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", (first) => {
      const head = String(first);
      heads.push(head);
      const port = routes[head.split(" ")[1] ?? ""];
      if (port === undefined) return void socket.end("HTTP/1.1 403 Not Here\r\nx-company: no\r\n\r\n");
      const other = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }, () => {
        socket.write("HTTP/1.1 200 Fine\r\nx-company: yes\r\n\r\n");
        socket.pipe(other).pipe(socket);
      });
      open.add(other);
      other.on("error", () => socket.resetAndDestroy());
      socket.on("close", () => other.destroy());
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
