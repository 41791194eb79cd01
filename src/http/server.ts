// Opens the HTTP face on this machine alone: the wanted port or the next free one, with bounds on everything.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Clock, SECOND, systemErrorCode } from "../lib/index.ts";
import { type AppParts, makeApp } from "./app.ts";
import { limitConnections } from "./connectionLimit.ts";
import { guard, type Refusal } from "./guard.ts";
import { makeSignInCodes, type SignInCode } from "./signInCodes.ts";

const ADDRESS = "127.0.0.1";
const PORTS_TRIED = 20;
const MAX_CONNECTIONS = 128;

/** Every answer, refusals too: nothing is kept by caches, framed, sniffed, or read by another origin. */
const securityHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;

export interface HttpServer {
  readonly port: number;
  /** A code with which one browser may sign in once. */
  invite(): SignInCode;
  /** Serves a connection that came another way. */
  serve(connection: Socket): void;
  close(): Promise<void>;
}

interface ServerOptions {
  readonly port: number;
  readonly token: string;
  readonly clock: Clock;
  readonly parts: AppParts;
}

function refuse(response: ServerResponse, { status, ...error }: Refusal): void {
  const extra =
    status === 401 ? { "WWW-Authenticate": "Bearer" } : status === 405 ? { Allow: "GET, HEAD, POST" } : {};
  // Whatever body there is will not be read: this connection is of no further use.
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close", ...extra });
  response.end(JSON.stringify({ error }));
}

function listen(server: Server, port: number): Promise<"bound" | "taken"> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void =>
      ["EADDRINUSE", "EACCES"].includes(systemErrorCode(error) ?? "") ? resolve("taken") : reject(error);
    server.once("error", onError);
    server.listen({ host: ADDRESS, port, exclusive: true }, () => {
      server.off("error", onError);
      resolve("bound");
    });
  });
}

async function listenNear(server: Server, port: number): Promise<number> {
  // Above 65535 there is nothing; 0 lets the system choose, and is the last resort too.
  const wanted = port === 0 ? [] : Array.from({ length: PORTS_TRIED }, (_, at) => port + at);
  for (const candidate of [...wanted.filter((value) => value < 65_536), 0]) {
    if ((await listen(server, candidate)) === "bound") return (server.address() as AddressInfo).port;
  }
  throw new Error("no port of this machine could be bound");
}

export async function listenHttp({ port: wanted, token, clock, parts }: ServerOptions): Promise<HttpServer> {
  let port = 0;
  const invitations = makeSignInCodes(clock);
  const door = { sealer: () => ({ port, token }), invitations, clock };
  const answer = getRequestListener(makeApp(parts, door).fetch);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const head = { method: request.method ?? "", target: request.url ?? "", headers: request.headers };
    const refusal = guard(head, { port, token, now: clock.now() });
    if (refusal !== undefined) refuse(response, refusal);
    else void answer(request, response).catch(parts.onError);
  };
  const server = createServer(
    {
      headersTimeout: 10 * SECOND,
      requestTimeout: 30 * SECOND,
      keepAliveTimeout: 5 * SECOND,
      connectionsCheckingInterval: 2 * SECOND,
      maxHeaderSize: 16 * 1024,
    },
    onRequest,
  );
  limitConnections(server, { max: MAX_CONNECTIONS });
  port = await listenNear(server, wanted);
  return {
    port,
    invite: invitations.invite,
    serve: (connection) => void server.emit("connection", connection),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
