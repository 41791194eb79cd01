// Decides from a request's head alone whether it is let in: where it was sent, who sent it, and what it carries.
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type Sealer, signedInUntil } from "./cookie.ts";
import { isViewerPath } from "./routes/viewer.ts";

export interface RequestHead {
  readonly method: string;
  /** As it came over the wire, before anything normalised it. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

interface Doorkeeper extends Sealer {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** A mod brings a whole conversation along. */
const MAX_MODS_BODY_BYTES = 64 * 1024 * 1024;
/** An export of years. */
const MAX_IMPORT_BYTES = 512 * 1024 * 1024;
const MAX_TARGET = 8 * 1024;
const names = ["localhost", "127.0.0.1", "[::1]"];
const methods = ["GET", "HEAD", "POST"];

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

/** The host is one of ours by now; a page of another of our names is another page to a browser, and to us. */
function checkOrigin({ host, origin, ...headers }: IncomingHttpHeaders): Refusal | undefined {
  const site = headers["sec-fetch-site"];
  // `same-site` is another port of this machine: not ours either.
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return refusal(403, "origin-refused", "Requests of other sites are not answered.");
  }
  return origin === undefined || origin === `http://${host?.toLowerCase()}`
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

function hasToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +([^\s]+)$/i.exec(authorization ?? "")?.[1];
  return given !== undefined && isToken(given, token);
}

/** What anyone on this machine may ask: whether somebody is here, the program of the page, and to be let in. */
function isOpen(method: string, path: string): boolean {
  if (method === "POST") return path === "/api/sign-in";
  return path === "/health" || isViewerPath(path);
}

/** A cookie comes along with whatever a browser sends: what changes something must also say that it is from our page. */
function checkCookie({ method, headers }: RequestHead, keeper: Doorkeeper): Refusal | undefined {
  if (signedInUntil(headers.cookie, keeper, keeper.now) === undefined) {
    return {
      ...refusal(401, "not-signed-in", "This is for a browser that has signed in, or for who has the token."),
      fix: "throughline open",
    };
  }
  const isFromPage = headers.origin !== undefined || headers["sec-fetch-site"] === "same-origin";
  return method === "POST" && !isFromPage
    ? refusal(403, "origin-refused", "The request does not say that it comes from the page.")
    : undefined;
}

function checkAsker(head: RequestHead, path: string, keeper: Doorkeeper): Refusal | undefined {
  if (isOpen(head.method, path) || hasToken(head.headers.authorization, keeper.token)) return undefined;
  return checkCookie(head, keeper);
}

/** How many bytes the body of a request to this address may have. */
export function bodyLimit(target: string): number {
  if (isImport(target)) return MAX_IMPORT_BYTES;
  return target.startsWith("/mods/") ? MAX_MODS_BODY_BYTES : MAX_BODY_BYTES;
}

const isImport = (target: string): boolean => target.split("?")[0] === "/api/import";

/** Neither of these can be sent by a form, or by a page of another origin without asking first. */
const typeFor = (target: string): string => (isImport(target) ? "application/x-ndjson" : "application/json");

function checkBody({ method, headers, target }: RequestHead): Refusal | undefined {
  const length = Number(headers["content-length"] ?? 0);
  const limit = bodyLimit(target);
  if (length > limit) return refusal(413, "body-too-large", `A body may have ${limit} bytes.`);
  if (method !== "POST") return undefined;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() === typeFor(target)) return undefined;
  return refusal(415, "type-refused", `Only ${typeFor(target)} is taken.`);
}

/** Undefined lets the request in. The cheapest and plainest questions come first, who asks before any about content. */
export function guard(head: RequestHead, keeper: Doorkeeper): Refusal | undefined {
  const { method, target, headers } = head;
  const [path = ""] = target.split("?");
  return (
    checkHost(headers.host, keeper.port) ??
    checkOrigin(headers) ??
    checkTarget(target) ??
    (methods.includes(method) ? undefined : refusal(405, "method-refused", `${method} is not served.`)) ??
    checkAsker(head, path, keeper) ??
    checkBody(head)
  );
}
