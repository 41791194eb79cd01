// Authorises requests by their head alone: host, origin, path, method, token or cookie, type and size of the body.
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type Sealer, signedInUntil } from "./cookie.ts";

export interface RequestHead {
  readonly method: string;
  /** As it came over the wire, before anything normalised it. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** The server's key, and milliseconds since the epoch. */
type GuardKey = Sealer & { readonly now: number };

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** A mod sends a whole conversation. */
const MAX_MODS_BODY_BYTES = 64 * 1024 * 1024;
/** A batch of events with the outputs of their tools. */
const MAX_EVENTS_BYTES = 16 * 1024 * 1024;
/** An export of years. */
const MAX_IMPORT_BYTES = 512 * 1024 * 1024;
const MAX_TARGET = 8 * 1024;
const hosts = ["localhost", "127.0.0.1", "[::1]"];
const methods = ["GET", "HEAD", "POST"];

function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}

/** Exact names with the exact port, against DNS rebinding: a rebound page still sends its own name. */
function checkHost(host: string | undefined, port: number): Refusal | undefined {
  if (host === undefined || host === "") return refusal(400, "host-missing", "The request names no host.");
  if (hosts.some((name) => host.toLowerCase() === `${name}:${port}`)) return undefined;
  return refusal(
    403,
    "host-refused",
    `Only ${hosts.map((name) => `${name}:${port}`).join(", ")} are served.`,
  );
}

/** The host is known to be ours; a page under another of our names is another origin. */
function checkOrigin({ host, origin, ...headers }: IncomingHttpHeaders): Refusal | undefined {
  const site = headers["sec-fetch-site"];
  // `same-site` is another port of this machine.
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return refusal(403, "origin-refused", "Requests of other sites are not answered.");
  return origin === undefined || origin === `http://${host?.toLowerCase()}`
    ? undefined
    : refusal(403, "origin-refused", "Requests of other origins are not answered.");
}

function checkTarget(target: string): Refusal | undefined {
  if (target.length > MAX_TARGET) return refusal(414, "target-too-long", "The address is too long.");
  const [path = ""] = target.split("?");
  // No route needs an escape in its path; a path with one could be read in two ways.
  return /^\/[A-Za-z0-9_.~/-]*$/.test(path) && !/\/\/|\/\.{1,2}(\/|$)/.test(path)
    ? undefined
    : refusal(400, "target-refused", "The path of the address is not a plain one.");
}

function isToken(given: string, token: string) {
  // Digests have one length: the comparison does not reveal the token's.
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

function hasToken(authorization: string | undefined, token: string) {
  const given = /^Bearer +([^\s]+)$/i.exec(authorization ?? "")?.[1];
  return given !== undefined && isToken(given, token);
}

/** Requests that need no sign-in: signing in itself, the health check, and the page, which is a program without data. */
function needsNoSignIn(method: string, path: string) {
  if (method === "POST") return path === "/api/sign-in";
  return /^\/(health|assets\/.*|favicon\.(ico|svg|png))?$/.test(path);
}

/** Browsers attach a cookie to every request: a POST must also say that it comes from the page. */
function checkCookie({ method, headers }: RequestHead, key: GuardKey): Refusal | undefined {
  if (signedInUntil(headers.cookie, key, key.now) === undefined) {
    return {
      ...refusal(401, "not-signed-in", "The request has no valid cookie and no token."),
      fix: "throughline open",
    };
  }
  const isFromPage = headers.origin !== undefined || headers["sec-fetch-site"] === "same-origin";
  return method === "POST" && !isFromPage
    ? refusal(403, "origin-refused", "The request does not say that it comes from the page.")
    : undefined;
}

function checkSender(head: RequestHead, path: string, key: GuardKey): Refusal | undefined {
  if (needsNoSignIn(head.method, path) || hasToken(head.headers.authorization, key.token)) return undefined;
  return checkCookie(head, key);
}

/** How many bytes the body of a request to this address may have. */
export function bodyLimit(target: string) {
  if (isImport(target)) return MAX_IMPORT_BYTES;
  if (target.split("?")[0] === "/v1/events") return MAX_EVENTS_BYTES;
  return /^\/(?:mods|live)\//.test(target) ? MAX_MODS_BODY_BYTES : MAX_BODY_BYTES;
}

const isImport = (target: string) => target.split("?")[0] === "/api/import";

/** Neither type can be sent by a form, or by another origin without a preflight request. */
const typeFor = (target: string) => (isImport(target) ? "application/x-ndjson" : "application/json");

function checkBody({ method, headers, target }: RequestHead): Refusal | undefined {
  const length = Number(headers["content-length"] ?? 0);
  const limit = bodyLimit(target);
  if (length > limit) return refusal(413, "body-too-large", `A body may have ${limit} bytes.`);
  if (method !== "POST") return undefined;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() === typeFor(target)) return undefined;
  return refusal(415, "type-refused", `Only ${typeFor(target)} is taken.`);
}

/** Undefined lets the request in. Cheap checks come first, and the sender is checked before the body. */
export function guard(head: RequestHead, key: GuardKey): Refusal | undefined {
  const { method, target, headers } = head;
  const [path = ""] = target.split("?");
  return (
    checkHost(headers.host, key.port) ??
    checkOrigin(headers) ??
    checkTarget(target) ??
    (methods.includes(method) ? undefined : refusal(405, "method-refused", `${method} is not served.`)) ??
    checkSender(head, path, key) ??
    checkBody(head)
  );
}
