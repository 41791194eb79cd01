// A browser at the door of a real worker: the page it gets, the code it signs in with, and what stays closed.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { tokenFile } from "../../src/home/index.ts";
import { signedInCookie } from "../../src/http/cookie.ts";
import { partsOf, routes } from "../../src/http/routes/table.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { workerOfVersion } from "./bundle.ts";
import { type Answer, json, type Sending, sendTo } from "./httpClient.ts";
import { ended, workerHome } from "./workers.ts";

const worker = workerOfVersion("1.0.0");
const place = workerHome("file");
let port = 0;

beforeAll(async () => {
  const folder = path.join(path.dirname(worker), "viewer");
  mkdirSync(path.join(folder, "assets"), { recursive: true });
  writeFileSync(path.join(folder, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(path.join(folder, "favicon.svg"), "<svg/>");
  writeFileSync(path.join(folder, "assets", "index-Ab_3-x.js"), "void 0;");
  writeFileSync(path.join(folder, "assets", "notes.secret"), "not of the build");
  symlinkSync("/etc/passwd", path.join(folder, "assets", "passwd.js"));
  await place.run(worker, { THROUGHLINE_WORKER_PORT: "0" });
  port = Number((await place.status()).port);
});

const send = (target: string, sending: Sending = {}): Promise<Answer> => sendTo(port, target, sending);
const origin = (): string => `http://127.0.0.1:${port}`;

const post = (
  target: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  send(target, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

async function invite(): Promise<string> {
  const invited = await call(place.socket, "invite");
  return isObject(invited) ? String(invited.code) : "";
}

/** As a browser would: the cookie without what the browser keeps to itself. */
async function signIn(): Promise<string> {
  const { status, headers } = await post("/api/sign-in", { code: await invite() });
  expect(status).toBe(200);
  return String(headers["set-cookie"]).split(";")[0] ?? "";
}

describe("the page", () => {
  it("is served to a browser that has not signed in, with what keeps it safe", async () => {
    const page = await send("/");
    expect(page).toMatchObject({ status: 200, body: { text: "<!doctype html><title>page</title>" } });
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = String(page.headers["content-security-policy"]);
    for (const rule of [
      "default-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toContain("unsafe");
    expect((await send("/favicon.svg")).headers).toMatchObject({ "content-type": "image/svg+xml" });
    expect(await send("/assets/index-Ab_3-x.js")).toMatchObject({
      body: { text: "void 0;" },
      headers: { "cache-control": expect.stringContaining("immutable") },
    });
  });

  it("is no way to any other file", async () => {
    const closed = ["passwd.js", "notes.secret", "index.html", "", "INDEX-AB_3-X.JS", "index-Ab_3-x.js/"];
    for (const name of closed) expect([name, (await send(`/assets/${name}`)).status]).toEqual([name, 404]);
    const tricks = [
      "../index.html",
      "..%2findex.html",
      "%2e%2e/index.html",
      "..\\index.html",
      "//etc/passwd",
      "x%00.js",
    ];
    for (const name of tricks) expect([name, (await send(`/assets/${name}`)).status]).toEqual([name, 400]);
  });

  it("is not opened from another site, nor for another name", async () => {
    expect((await send("/", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    expect((await send("/", { headers: { host: `rebound.example:${port}` } })).status).toBe(403);
  });
});

describe("signing in", () => {
  it("takes a code once, and the cookie it gives is good for reading and for changing", async () => {
    const code = await invite();
    const first = await post("/api/sign-in", { code });
    expect(first.body).toEqual({ ok: true });
    expect(first.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        new RegExp(`^throughline-${port}=.+; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    expect(await post("/api/sign-in", { code })).toMatchObject({
      status: 401,
      body: { error: { code: "code-refused", fix: "throughline open" } },
    });
    const cookie = await signIn();
    expect((await send("/api/stats", { headers: { cookie } })).status).toBe(200);
    const change = { "worker.idleMinutes": 31 };
    expect((await post("/api/settings", change, { cookie, origin: origin() })).status).toBe(200);
    expect(await post("/api/sign-out", {}, { cookie, origin: origin() })).toMatchObject({
      headers: { "set-cookie": [expect.stringContaining("Max-Age=0")] },
    });
  });

  it("refuses a code that is wrong or none, and gives no cookie for it", async () => {
    for (const body of [{ code: "guess" }, { code: "" }, { code: 7 }, {}]) {
      const { status, headers } = await post("/api/sign-in", body);
      expect([body, status, headers["set-cookie"]]).toEqual([body, 401, undefined]);
    }
    expect((await post("/api/sign-in", [])).status).toBe(400);
  });

  it("outlives the worker, at the same port", async () => {
    const cookie = await signIn();
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
    const again = await place.run(worker, { THROUGHLINE_WORKER_PORT: String(port) });
    expect((await place.status()).port).toBe(port);
    expect((await send("/api/stats", { headers: { cookie } })).status).toBe(200);
    expect(again.exitCode).toBeNull();
  });
});

describe("without having signed in", () => {
  const open = ["GET /", "GET /assets/:name", "GET /favicon.svg", "GET /health", "POST /api/sign-in"];
  const closed = Object.keys(routes).filter((route) => !open.includes(route));
  const ask = (route: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
    const { method, path: target } = partsOf(route);
    return send(target.replace(/:\w+/, "x"), {
      method,
      headers: { ...json, ...headers },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
  };

  it.each(closed)("%s tells nothing and changes nothing", async (route) => {
    const token = readFileSync(tokenFile(place.home), "utf8").trim();
    const now = Date.now();
    const cookieOf = (sealer: { port: number; token: string }, at: number): string =>
      signedInCookie(sealer, at).split(";")[0] ?? "";
    const good = cookieOf({ port, token }, now);
    const month = 30 * 24 * 60 * 60 * 1_000;
    const refused: Record<string, Readonly<Record<string, string>>> = {
      nothing: {},
      "a forged cookie": { cookie: good.replace(/.$/, (last) => (last === "A" ? "E" : "A")) },
      "a cookie that is over": { cookie: cookieOf({ port, token }, now - month - 1) },
      "a cookie that lasts too long": { cookie: cookieOf({ port, token }, now + 60_000) },
      "a cookie of another port": { cookie: cookieOf({ port: port + 1, token }, now) },
      "the cookie of another port under our name": {
        cookie: cookieOf({ port: port + 1, token }, now).replace(`-${port + 1}=`, `-${port}=`),
      },
      "a guessed token": { authorization: "Bearer guess" },
      "the token as a cookie": { cookie: `throughline-${port}=${token}` },
    };
    for (const [name, headers] of Object.entries(refused)) {
      const { status, body } = await ask(route, { ...headers, origin: origin() });
      expect([name, status, Object.keys(body)]).toEqual([name, 401, ["error"]]);
    }
    const foreign: Record<string, Readonly<Record<string, string>>> = {
      "a rebound name": { host: `rebound.example:${port}` },
      "a look-alike name": { host: `127.0.0.1.example:${port}` },
      "a foreign origin": { origin: "http://evil.example" },
      "a look-alike origin": { origin: `http://127.0.0.1:${port}.evil.example` },
      "another port": { origin: `http://127.0.0.1:${port + 1}` },
      "no origin at all, as a sandbox has": { origin: "null" },
      "a request of another site": { "sec-fetch-site": "cross-site" },
      "a request of another port": { "sec-fetch-site": "same-site" },
    };
    for (const [name, headers] of Object.entries(foreign)) {
      const { status, body } = await ask(route, { cookie: good, ...headers });
      expect([name, status, Object.keys(body)]).toEqual([name, 403, ["error"]]);
    }
  });

  it.each(closed.filter((route) => route.startsWith("POST")))(
    "%s wants to hear from the page, in JSON",
    async (route) => {
      const cookie = await signIn();
      expect((await ask(route, { cookie })).status).toBe(403);
      expect((await ask(route, { cookie, origin: origin(), "content-type": "text/plain" })).status).toBe(415);
    },
  );
});

describe("a page that is not there", () => {
  it("is found as soon as it is built", async () => {
    const bare = workerOfVersion("1.0.0");
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
    const child = await place.run(bare);
    port = Number((await place.status()).port);
    expect((await send("/")).status).toBe(501);
    const folder = path.join(path.dirname(bare), "viewer");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "index.html"), "built");
    expect(await send("/")).toMatchObject({ status: 200, body: { text: "built" } });
    rmSync(folder, { recursive: true });
    expect((await send("/")).status).toBe(200);
    child.kill();
    await ended(child);
  });
});
