// Who is let in and who is not, from the head of a request alone.
import { describe, expect, it } from "vitest";
import { signedInCookie } from "./cookie.ts";
import { guard, type RequestHead } from "./guard.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const key = { port: 37_777, token: "right-token-right-token-right-token", now };
const own = { host: "127.0.0.1:37777", authorization: `Bearer ${key.token}` };

function statusOf(head: Partial<RequestHead>): number | undefined {
  return guard({ method: "GET", target: "/api/stats", headers: own, ...head }, key)?.status;
}

describe("guard", () => {
  it.each([
    ["127.0.0.1:37777", undefined],
    ["localhost:37777", undefined],
    ["LOCALHOST:37777", undefined],
    ["[::1]:37777", undefined],
    [undefined, 400],
    ["", 400],
    ["127.0.0.1", 403],
    ["127.0.0.1:80", 403],
    ["evil.example:37777", 403],
    ["localhost.evil.example:37777", 403],
    ["127.0.0.1.evil.example:37777", 403],
    ["127.0.0.1:37777@evil.example", 403],
    ["127.1:37777", 403],
    ["2130706433:37777", 403],
    ["0.0.0.0:37777", 403],
    [" 127.0.0.1:37777", 403],
  ])("Host %j → %j", (host, status) => {
    const { host: _, ...rest } = own;
    expect(statusOf({ headers: host === undefined ? rest : { ...rest, host } })).toBe(status);
  });

  it.each([
    ["http://127.0.0.1:37777", undefined],
    ["http://localhost:37777", 403],
    ["http://[::1]:37777", 403],
    ["HTTP://127.0.0.1:37777", 403],
    ["http://127.0.0.1:37777/", 403],
    ["null", 403],
    ["", 403],
    ["https://127.0.0.1:37777", 403],
    ["http://127.0.0.1:3000", 403],
    ["http://localhost", 403],
    ["http://localhost.evil.example:37777", 403],
    ["http://evil.example", 403],
    ["http://localhost:37777.evil.example", 403],
    ["http://localhost:37777@evil.example", 403],
    ["http://user@localhost:37777", 403],
    ["http://localhost:37777/path", 403],
    ["file://", 403],
  ])("Origin %j → %j", (origin, status) => {
    expect(statusOf({ headers: { ...own, origin } })).toBe(status);
  });

  it("takes each of our names for an origin of its own", () => {
    const headers = { ...own, host: "LocalHost:37777" };
    expect(statusOf({ headers: { ...headers, origin: "http://localhost:37777" } })).toBeUndefined();
    expect(statusOf({ headers: { ...headers, origin: "http://127.0.0.1:37777" } })).toBe(403);
  });

  it.each([
    ["same-origin", undefined],
    ["none", undefined],
    ["same-site", 403],
    ["cross-site", 403],
    ["anything", 403],
  ])("Sec-Fetch-Site %j → %j", (site, status) => {
    expect(statusOf({ headers: { ...own, "sec-fetch-site": site } })).toBe(status);
  });

  it.each([
    [`Bearer ${key.token}`, undefined],
    [`bearer ${key.token}`, undefined],
    [undefined, 401],
    ["", 401],
    ["Bearer", 401],
    ["Bearer ", 401],
    [key.token, 401],
    [`Basic ${key.token}`, 401],
    [`Bearer ${key.token}x`, 401],
    [`Bearer ${key.token.slice(0, -1)}`, 401],
    [`Bearer ${key.token} ${key.token}`, 401],
  ])("Authorization %j → %j", (authorization, status) => {
    const { authorization: _, ...rest } = own;
    expect(statusOf({ headers: authorization === undefined ? rest : { ...rest, authorization } })).toBe(
      status,
    );
  });

  it.each([
    "/api/../health",
    "/health/..",
    "/%2e%2e/etc/passwd",
    "/api/%2e%2e/",
    "/api//stats",
    "//evil.example/",
    "/api\\stats",
    "/api/stats%00",
    "/api/stats\u0000",
    "http://evil.example/",
    "*",
    "",
    "/./health",
    "/h%65alth",
  ])("the path %j is refused", (target) => {
    expect(statusOf({ target })).toBe(400);
  });

  it("lets anyone on the machine ask for health and for the program of the page, and for nothing else", () => {
    const headers = { host: own.host };
    for (const target of ["/health", "/health?x=1", "/", "/?q=x", "/assets/index-1a2b.js", "/favicon.svg"])
      expect([target, statusOf({ target, headers })]).toEqual([target, undefined]);
    const others = [
      "/stream",
      "/api/stats",
      "/healthy",
      "/health/",
      "/index.html",
      "/assets",
      "/favicon.txt",
    ];
    for (const target of [...others, "/api/sign-in", "/mods/hello"])
      expect([target, statusOf({ target, headers })]).toEqual([target, 401]);
    const posted = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
    expect(statusOf({ target: "/api/sign-in", ...posted })).toBeUndefined();
    for (const target of ["/", "/health", "/api/sign-out", "/api/settings", "/assets/x.js"])
      expect([target, statusOf({ target, ...posted })]).toEqual([target, 401]);
    expect(statusOf({ target: "/health", headers: { host: "evil.example" } })).toBe(403);
  });

  it.each(["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH"])("%s is not served", (method) => {
    expect(statusOf({ method })).toBe(405);
  });

  it.each([
    ["application/json", undefined],
    ["application/json; charset=utf-8", undefined],
    ["Application/JSON", undefined],
    [undefined, 415],
    ["text/plain", 415],
    ["text/plain; application/json", 415],
    ["application/jsonp", 415],
    ["multipart/form-data", 415],
    ["application/x-www-form-urlencoded", 415],
  ])("a body of type %j → %j", (type, status) => {
    const headers = type === undefined ? own : { ...own, "content-type": type };
    expect(statusOf({ method: "POST", target: "/api/settings", headers })).toBe(status);
  });

  it("takes no body above a megabyte, and no endless address", () => {
    const headers = { ...own, "content-type": "application/json", "content-length": "1048577" };
    expect(statusOf({ method: "POST", target: "/api/settings", headers })).toBe(413);
    expect(statusOf({ headers: { ...own, "content-length": "99999999" } })).toBe(413);
    expect(statusOf({ target: `/api/stats?${"x".repeat(9_000)}` })).toBe(414);
  });

  it("takes lines, and many of them, where an import comes in, and nowhere else", () => {
    const lines = {
      ...own,
      "content-type": "application/x-ndjson",
      "content-length": String(512 * 1024 * 1024),
    };
    const post = (target: string, headers: Record<string, string>): number | undefined =>
      statusOf({ method: "POST", target, headers });
    expect(post("/api/import", lines)).toBeUndefined();
    expect(post("/api/import", { ...lines, "content-length": String(512 * 1024 * 1024 + 1) })).toBe(413);
    expect(post("/api/import", { ...own, "content-type": "application/json" })).toBe(415);
    expect(post("/api/imports", { ...own, "content-type": "application/x-ndjson" })).toBe(415);
  });

  it("asks for the token before it says anything about a body", () => {
    const headers = { host: own.host, "content-length": "99999999" };
    expect(statusOf({ method: "POST", target: "/api/settings", headers })).toBe(401);
  });
});

describe("a browser that has signed in", () => {
  const cookie = signedInCookie(key, now).split(";")[0] ?? "";
  const browser = { host: own.host, cookie };
  const json = { "content-type": "application/json" };

  it("may read, from its page or from the address bar", () => {
    expect(statusOf({ headers: browser })).toBeUndefined();
    for (const site of ["same-origin", "none"])
      expect(statusOf({ headers: { ...browser, "sec-fetch-site": site } })).toBeUndefined();
    for (const site of ["cross-site", "same-site"])
      expect(statusOf({ headers: { ...browser, "sec-fetch-site": site } })).toBe(403);
  });

  it("may change something only where the request says that it comes from the page", () => {
    const post = (more: Record<string, string>): number | undefined =>
      statusOf({ method: "POST", target: "/api/settings", headers: { ...browser, ...json, ...more } });
    expect(post({})).toBe(403);
    expect(post({ "sec-fetch-site": "none" })).toBe(403);
    expect(post({ "sec-fetch-site": "same-origin" })).toBeUndefined();
    expect(post({ origin: "http://127.0.0.1:37777" })).toBeUndefined();
    expect(post({ origin: "http://127.0.0.1:37778" })).toBe(403);
    expect(post({ origin: "http://127.0.0.1:37777", "sec-fetch-site": "same-site" })).toBe(403);
    expect(post({ authorization: own.authorization })).toBeUndefined();
  });

  it("is told how to sign in where its cookie is none", () => {
    const refused = guard({ method: "GET", target: "/api/stats", headers: { host: own.host } }, key);
    expect(refused).toMatchObject({ status: 401, code: "not-signed-in", fix: "throughline open" });
  });
});
