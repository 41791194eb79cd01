// Decides from a request's head alone whether it is let in: where it was sent, who sent it, and what it carries.
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface RequestHead {
  readonly method: string;
  /** As it came over the wire, before anything normalised it. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Doorkeeper {
  readonly port: number;
  readonly token: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const MAX_BODY_BYTES = 1024 * 1024;
/** A mod brings a whole conversation along. */
const MAX_MODS_BODY_BYTES = 64 * 1024 * 1024;
const MAX_TARGET = 8 * 1024;
const names = ["localhost", "127.0.0.1", "[::1]"];
const methods = ["GET", "HEAD", "POST"];
/** What anyone on this machine may ask without the token. */
const openPaths = ["/health"];

function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}

/** Exact names with the exact port: a page that points its own name at this machine still sends its own name. */
function checkHost(host: string | undefined, port: number): Refusal | undefined {
  if (host === undefined || host === "") return refusal(400, "host-missing", "The request names no host.");
  if (names.some((name) => host.toLowerCase() === `${name}:${port}`)) return undefined;
  return refusal(
    403,
    "host-refused",
    `Only ${names.map((name) => `${name}:${port}`).join(", ")} are served.`,
  );
}

function checkOrigin(headers: IncomingHttpHeaders, port: number): Refusal | undefined {
  const site = headers["sec-fetch-site"];
  // `same-site` is another port of this machine: not ours either.
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return refusal(403, "origin-refused", "Requests of other sites are not answered.");
  }
  const { origin } = headers;
  if (origin === undefined) return undefined;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isOwn = url?.protocol === "http:" && names.includes(url.hostname) && url.port === String(port);
  // A real origin is nothing but scheme, name and port; anything more is not what a browser sends.
  return isOwn && url.origin === origin
    ? undefined
    : refusal(403, "origin-refused", "Requests of other origins are not answered.");
}

function checkTarget(target: string): Refusal | undefined {
  if (target.length > MAX_TARGET) return refusal(414, "target-too-long", "The address is too long.");
  const [path = ""] = target.split("?");
  // Nothing that is served needs an escape in its path: whatever has one tries to be read in two ways.
  return /^\/[A-Za-z0-9_.~/-]*$/.test(path) && !/\/\/|\/\.{1,2}(\/|$)/.test(path)
    ? undefined
    : refusal(400, "target-refused", "The path of the address is not a plain one.");
}

function isToken(given: string, token: string): boolean {
  // Digests are of one length, so that the comparison tells nothing of the token's.
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

function checkToken(authorization: string | undefined, token: string): Refusal | undefined {
  const given = /^Bearer +([^\s]+)$/i.exec(authorization ?? "")?.[1];
  if (given !== undefined && isToken(given, token)) return undefined;
  return refusal(
    401,
    "token-refused",
    "This needs the header `Authorization: Bearer` with the token of the state folder.",
  );
}

/** How many bytes the body of a request to this address may have. */
export function bodyLimit(target: string): number {
  return target.startsWith("/mods/") ? MAX_MODS_BODY_BYTES : MAX_BODY_BYTES;
}

function checkBody({ method, headers, target }: RequestHead): Refusal | undefined {
  const length = Number(headers["content-length"] ?? 0);
  const limit = bodyLimit(target);
  if (length > limit) return refusal(413, "body-too-large", `A body may have ${limit} bytes.`);
  if (method !== "POST") return undefined;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() === "application/json") return undefined;
  return refusal(415, "type-refused", "Only application/json is taken.");
}

/** Undefined lets the request in. The cheapest and plainest questions come first, the token before any about content. */
export function guard(head: RequestHead, { port, token }: Doorkeeper): Refusal | undefined {
  const { method, target, headers } = head;
  const [path = ""] = target.split("?");
  return (
    checkHost(headers.host, port) ??
    checkOrigin(headers, port) ??
    checkTarget(target) ??
    (methods.includes(method) ? undefined : refusal(405, "method-refused", `${method} is not served.`)) ??
    (openPaths.includes(path) ? undefined : checkToken(headers.authorization, token)) ??
    checkBody(head)
  );
}
