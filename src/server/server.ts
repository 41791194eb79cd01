// The team's server: checks how it is to be reached, listens over TLS or behind a proxy, and stops when asked to.
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Context } from "hono";
import {
  type Clock,
  errorText,
  SECOND,
  systemClock,
  systemErrorCode,
  ThroughlineError,
  usageError,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { openTeamDatabase } from "../store/team.ts";
import { makeServerApp } from "./app.ts";

interface ServerOptions {
  /** Such as `postgres://throughline@db.example/throughline`. */
  readonly url: string;
  readonly schema?: string;
  readonly host: string;
  readonly port: number;
  /** Files in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A proxy in front ends TLS and names the client's address in `X-Forwarded-For`. */
  readonly isBehindProxy: boolean;
  readonly requestsPerMinute?: number;
  readonly clock?: Clock;
  readonly log: Logger;
}

interface RunningServer {
  readonly address: string;
  close(): Promise<void>;
}

const REQUESTS_PER_MINUTE = 600;
const loopback = ["127.0.0.1", "::1", "localhost"];

/** Throws where keys would cross a network unencrypted, and where a file of TLS cannot be used. */
function checkReach({ host, tls, isBehindProxy }: ServerOptions) {
  if (tls || isBehindProxy || loopback.includes(host)) return;
  throw usageError(
    `on ${host} the keys of people would cross the network unencrypted`,
    "give --cert and --cert-key, or --behind-proxy where a proxy ends TLS, or listen on 127.0.0.1",
  );
}

function listenerFor({ tls }: ServerOptions, answer: ReturnType<typeof getRequestListener>): Server {
  const limits = { headersTimeout: 10 * SECOND, requestTimeout: 120 * SECOND, maxHeaderSize: 16 * 1024 };
  if (!tls) return createHttpServer(limits, answer);
  try {
    const files = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
    return createHttpsServer({ ...limits, ...files, minVersion: "TLSv1.2" }, answer);
  } catch (error) {
    throw new ThroughlineError("config-invalid", `the certificate cannot be used: ${errorText(error)}`, {
      fix: "--cert names a certificate and --cert-key its private key, both PEM files that this user can read",
      cause: error,
    });
  }
}

/** The address that counts for limits: of the connection, or the last one that the proxy added. */
function addressOf(c: Context, isBehindProxy: boolean) {
  const forwarded = isBehindProxy ? c.req.header("X-Forwarded-For")?.split(",").at(-1)?.trim() : undefined;
  if (forwarded !== undefined && isIP(forwarded) > 0) return forwarded;
  const { incoming } = c.env as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  };
  return incoming?.socket?.remoteAddress ?? "";
}

function listen(server: Server, { host, port }: ServerOptions) {
  return new Promise<number>((resolve, reject) => {
    server.once("error", (error) => {
      const why =
        systemErrorCode(error) === "EADDRINUSE" ? "another program listens there" : errorText(error);
      reject(
        new ThroughlineError("server-absent", `${host}:${port} cannot be opened: ${why}`, {
          fix: "choose another one with --port or --host",
          cause: error,
        }),
      );
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkReach(options);
  const { url, schema, host, log, clock = systemClock, isBehindProxy, tls } = options;
  const requestsPerMinute = options.requestsPerMinute ?? REQUESTS_PER_MINUTE;
  const database = await openTeamDatabase({ url, clock, ...(schema === undefined ? {} : { schema }) });
  const app = makeServerApp({
    ...{ database, clock, log, requestsPerMinute, addressOf: (c: Context) => addressOf(c, isBehindProxy) },
  });
  try {
    const server = listenerFor(options, getRequestListener(app.fetch));
    const port = await listen(server, options);
    const shown = isIP(host) === 6 ? `[${host}]` : host;
    const address = `${tls ? "https" : "http"}://${shown}:${port}`;
    log.info({ address }, "server.started");
    return {
      address,
      async close() {
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeIdleConnections();
        });
        await database.close();
        log.info({}, "server.stopped");
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
