// The HTTP server of the worker: on loopback, at the wanted port or the next free one, with limits on everything.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Environment, ensureToken, type IsExcluded, isPaused } from "../home/index.ts";
import type { Accountant } from "../inspector/index.ts";
import { errorText, SECOND, systemClock, systemErrorCode, ThroughlineError } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type AppParts, makeApp } from "./app.ts";
import { limitConnections } from "./connectionLimit.ts";
import { guard, type Refusal } from "./guard.ts";
import { userLanguage } from "./routes/settings.ts";
import type { TransferParts } from "./routes/transfer.ts";
import { makeSignInCodes, type SignInCode } from "./signInCodes.ts";

const ADDRESS = "127.0.0.1";
const PORTS_TRIED = 20;
const MAX_CONNECTIONS = 128;

/** On every answer, refusals too: not cached, framed, sniffed, or read by another origin. */
const securityHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;

/** What the routes need that the server does not make itself. */
interface HttpOptions
  extends Omit<AppParts, "standing" | "places" | "savings" | "transfer" | "onError">,
    Pick<TransferParts, "redact" | "onImported"> {
  readonly accountant: Accountant;
  readonly env: Environment;
  readonly isExcluded: IsExcluded;
  readonly port: number;
  readonly version: string;
  readonly log: Logger;
}

type HttpServer = Awaited<ReturnType<typeof listenHttp>>;

function sendRefusal(response: ServerResponse, { status, ...error }: Refusal) {
  const extra =
    status === 401 ? { "WWW-Authenticate": "Bearer" } : status === 405 ? { Allow: "GET, HEAD, POST" } : {};
  // The body is not read, so the connection cannot be used again.
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close", ...extra });
  response.end(JSON.stringify({ error }));
}

function listen(server: Server, port: number): Promise<"bound" | "taken"> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) =>
      ["EADDRINUSE", "EACCES"].includes(systemErrorCode(error) ?? "") ? resolve("taken") : reject(error);
    server.once("error", onError);
    server.listen({ host: ADDRESS, port, exclusive: true }, () => {
      server.off("error", onError);
      resolve("bound");
    });
  });
}

async function listenNear(server: Server, port: number) {
  // 0 lets the system choose, and is the last resort.
  const wanted = port === 0 ? [] : Array.from({ length: PORTS_TRIED }, (_, at) => port + at);
  for (const candidate of [...wanted.filter((value) => value < 65_536), 0]) {
    if ((await listen(server, candidate)) === "bound") return (server.address() as AddressInfo).port;
  }
  throw new Error("no port of this machine could be bound");
}

async function listenHttp({ port: wanted, home }: HttpOptions, parts: AppParts) {
  let port = 0;
  const clock = systemClock;
  const token = ensureToken(home);
  const codes = makeSignInCodes(clock);
  const answer = getRequestListener(makeApp(parts, { sealer: () => ({ port, token }), codes, clock }).fetch);
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const head = { method: request.method ?? "", target: request.url ?? "", headers: request.headers };
    const refusal = guard(head, { port, token, now: clock.now() });
    if (refusal) sendRefusal(response, refusal);
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
  limitConnections(server, MAX_CONNECTIONS);
  port = await listenNear(server, wanted);
  return {
    port,
    /** A code with which one browser may sign in once. */
    invite: codes.invite,
    /** Serves a connection that came another way. */
    serve: (connection: Socket) => void server.emit("connection", connection),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function partsFor(options: HttpOptions): AppParts {
  const { home, log, store, env, redact, onImported, version, isExcluded, accountant } = options;
  return {
    ...options,
    standing: { version, locale: () => userLanguage(home, env), isPaused: () => isPaused(home), isExcluded },
    places: { home, env },
    savings: accountant.savings,
    transfer: { home, store, redact, onImported },
    onError: (error) => log.error({ problem: errorText(error) }, "http.request-failed"),
  };
}

/** Undefined where no port can be opened: hooks and commands use the socket, and capture goes on without the page. */
export async function openHttpServer(options: HttpOptions): Promise<HttpServer | undefined> {
  try {
    return await listenHttp(options, partsFor(options));
  } catch (error) {
    options.log.error({ problem: errorText(error) }, "http.not-started");
    return undefined;
  }
}

/** Lets one browser sign in once. Throws where there is no server. */
export function signInCodeFrom(server: HttpServer | undefined): SignInCode & { readonly port: number } {
  if (server) return { ...server.invite(), port: server.port };
  throw new ThroughlineError(
    "worker-failed",
    "the worker has no HTTP server",
    "`throughline worker logs` says why; then `throughline worker stop`, and try again",
  );
}
