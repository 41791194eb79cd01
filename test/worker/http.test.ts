// The HTTP face of a real worker: what it answers, and what it refuses while it stays up.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { projectOf, tokenFile } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { saveMemory } from "../../src/memdir/index.ts";
import { memoryFolderFor } from "../../src/tools/index.ts";
import { workerOfVersion } from "./bundle.ts";
import { type Answer, json, type Sending, sendTo } from "./httpClient.ts";
import { promptPayload, toolPayload } from "./payloads.ts";
import { until, workerHome } from "./workers.ts";

const worker = workerOfVersion("1.0.0");
const place = workerHome();
let port = 0;
let token = "";

beforeEach(async () => {
  await place.run(worker);
  port = Number((await place.status()).port);
  token = readFileSync(tokenFile(place.home), "utf8").trim();
});

const send = (target: string, { headers, ...rest }: Sending = {}): Promise<Answer> =>
  sendTo(port, target, { headers: { authorization: `Bearer ${token}`, ...headers }, ...rest });

/** Bytes as they are, and the status line that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const connection = connect(port, "127.0.0.1").setEncoding("utf8");
    let answer = "";
    connection.on("data", (chunk: string) => {
      answer += chunk;
    });
    connection.on("error", () => connection.destroy());
    connection.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
    connection.end(text);
  });
}

describe("the addresses", () => {
  it("give lists page by page", async () => {
    for (let at = 0; at < 5; at++)
      place.spoolEvent(promptPayload(`s${at}`, `prompt ${at}`), Date.UTC(2026, 0, 1 + at));
    await call(place.socket, "drain");
    const first = await send("/api/prompts?limit=2");
    expect(first.body.items).toMatchObject([{ promptText: "prompt 4" }, { promptText: "prompt 3" }]);
    const second = await send(`/api/prompts?limit=2&cursor=${first.body.next}`);
    expect(second.body.items).toMatchObject([{ promptText: "prompt 2" }, { promptText: "prompt 1" }]);
    const last = await send(`/api/prompts?limit=2&cursor=${second.body.next}`);
    expect(last.body).toMatchObject({ items: [{ promptText: "prompt 0" }] });
    expect(last.body).not.toHaveProperty("next");
    expect((await send("/api/prompts?session=s3")).body.items).toHaveLength(1);
    expect((await send("/api/prompts?from=2026-01-04")).body.items).toHaveLength(2);
    expect((await send("/api/observations")).body).toEqual({ items: [] });
    expect((await send("/api/summaries")).body).toEqual({ items: [] });
  });

  it("say how things stand", async () => {
    place.spoolEvent(toolPayload("s1", 1));
    await call(place.socket, "drain");
    expect((await send("/api/stats")).body).toMatchObject({
      store: { counts: { events: 1, sessions: 1 } },
      worker: { version: "1.0.0", port, spool: { waiting: 0 } },
    });
  });

  it("refuse questions that make no sense, with the reason", async () => {
    const questions = [
      "limit=0",
      "limit=501",
      "limit=many",
      "cursor=forged",
      "order=sideways",
      "from=yesterday",
      "type=gossip",
    ];
    for (const target of questions.map((question) => `/api/observations?${question}`)) {
      expect([target, await send(target)]).toMatchObject([
        target,
        { status: 400, body: { error: { code: "usage", message: expect.any(String) } } },
      ]);
    }
  });

  it("find what was asked for, and refuse what is no question", async () => {
    place.spoolEvent(promptPayload("s1", "why does the parser drop the last token"));
    await call(place.socket, "drain");
    expect((await send("/api/search?query=parser+token")).body).toMatchObject({
      hits: [{ kind: "prompt", title: "why does the parser drop the last token" }],
    });
    expect((await send("/api/search?query=last+tok&typed=1&explain=1")).body).toMatchObject({
      hits: [
        {
          ref: "P1",
          session: "s1",
          marks: {
            title: [
              [29, 33],
              [34, 39],
            ],
          },
          matched: ["last", "tok"],
          why: expect.arrayContaining([
            expect.objectContaining({ signal: "passage", points: expect.any(Number) }),
          ]),
        },
      ],
      more: false,
      notes: [],
    });
    const { body } = await send("/api/search?query=%22(((%20AND%20NOT");
    expect(body).toMatchObject({ hits: [] });
    expect((await send("/api/search?query=x&layer=deep")).status).toBe(400);
  });

  it("find memories of the projects that were worked on, and give one whole", async () => {
    const folder = path.join(place.home.data, "ferry");
    mkdirSync(folder, { recursive: true });
    const owner = { home: place.home, env: process.env, folder };
    await saveMemory(memoryFolderFor(owner).place, {
      ...{ name: "Berth keys", description: "who has the keys of the berths", type: "project" },
      ...{ body: "Marit keeps the keys of the northern berths.", author: "user" },
    });
    place.spoolEvent(promptPayload("s1", "hello", { cwd: folder }));
    await call(place.socket, "drain");
    const ref = `${projectOf(folder).id}/berth-keys.md`;
    expect((await send("/api/search?query=who+has+keys&kind=memory")).body).toMatchObject({
      hits: [{ kind: "memory", ref, title: "Berth keys", project: projectOf(folder).id }],
    });
    expect((await send(`/api/show?refs=${encodeURIComponent(`${ref},P1,#9`)}`)).body).toMatchObject({
      items: [
        { ref, text: expect.stringContaining("Marit keeps") },
        { ref: "P1", text: "hello" },
      ],
      missing: ["#9"],
    });
    expect((await send("/api/show")).status).toBe(400);
    expect((await send("/api/around?around=P1")).body).toMatchObject({
      middle: "P1",
      items: [{ ref: "P1" }],
    });
  });

  it("say of what is not built that it is not, and how to build it", async () => {
    expect(await send("/")).toMatchObject({
      status: 501,
      body: { error: { code: "not-built", fix: expect.stringContaining("npm run build") } },
    });
    expect(await send("/api/nothing")).toMatchObject({ status: 404, body: { error: { code: "not-found" } } });
  });

  it("show settings and change the user's own", async () => {
    const before = await send("/api/settings");
    expect(before.body.settings).toContainEqual({
      key: "worker.idleMinutes",
      value: 30,
      origin: { source: "default" },
    });
    const change = { "worker.idleMinutes": 45, "capture.exclude": ["/secret"] };
    expect(
      await send("/api/settings", { method: "POST", headers: json, body: JSON.stringify(change) }),
    ).toMatchObject({ status: 200 });
    expect(JSON.parse(readFileSync(path.join(place.home.config, "config.jsonc"), "utf8"))).toEqual({
      worker: { idleMinutes: 45 },
      capture: { exclude: ["/secret"] },
    });
    expect(JSON.parse(readFileSync(path.join(place.home.state, "runtime.json"), "utf8"))).toMatchObject({
      excluded: ["/secret"],
    });
    const undo = { "worker.idleMinutes": null };
    await send("/api/settings", { method: "POST", headers: json, body: JSON.stringify(undo) });
    expect(readFileSync(path.join(place.home.config, "config.jsonc"), "utf8")).not.toContain("idleMinutes");
  });

  it("change nothing at all when one thing is wrong", async () => {
    const bodies = [
      '{"nonsense":1}',
      '{"worker.port":"high"}',
      "[]",
      "not json",
      '{"policy":"seed","worker.port":-1}',
    ];
    for (const body of bodies) {
      const answer = await send("/api/settings", { method: "POST", headers: json, body });
      expect([body, answer]).toMatchObject([
        body,
        { status: 400, body: { error: { message: expect.any(String) } } },
      ]);
    }
    expect(existsSync(path.join(place.home.config, "config.jsonc"))).toBe(false);
  });
});

describe("abuse", () => {
  it("is refused with a clear status, and the worker stays up", async () => {
    const statuses = async (...answers: Promise<Answer>[]): Promise<number[]> =>
      (await Promise.all(answers)).map(({ status }) => status);
    expect(
      await statuses(
        send("/api/stats", { headers: { host: "evil.example" } }),
        send("/api/stats", { headers: { host: `localhost.evil.example:${port}` } }),
        send("/api/stats", { headers: { origin: "http://evil.example" } }),
        send("/api/stats", { headers: { origin: `http://localhost.evil.example:${port}` } }),
        send("/api/stats", { headers: { "sec-fetch-site": "cross-site" } }),
        send("/api/stats", { headers: { authorization: "" } }),
        send("/api/stats", { headers: { authorization: "Bearer guess" } }),
        send("/api/settings", { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }),
        send("/api/stats", { method: "DELETE" }),
        send("/api/%2e%2e/%2e%2e/etc/passwd"),
        send("/..%2f..%2fetc/passwd"),
      ),
    ).toEqual([403, 403, 403, 403, 403, 401, 401, 415, 405, 400, 400]);
    expect(await raw("GET /health HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request");
    expect(await raw("GET /health HTTP/1.1\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request");
    expect(await raw("GARBAGE\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request");
    expect(
      await raw(`GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
    ).toBe("HTTP/1.1 400 Bad Request");
    expect(
      await raw(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${"x".repeat(70_000)}\r\n\r\n`),
    ).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect((await send("/health", { headers: { authorization: "" } })).body).toEqual({ status: "ok" });
  });

  it("tells other pages nothing", async () => {
    const { headers } = await send("/health");
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("with a body of 100 MB ends at its announcement, or at its first megabyte", async () => {
    const size = 100 * 1024 * 1024;
    const announced = await raw(
      `POST /api/settings HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
    );
    expect(announced).toBe("HTTP/1.1 413 Payload Too Large");
    expect(await upload(size)).toContain(" 413 ");
    const { rss } = await place.status();
    expect(Number(rss)).toBeLessThan(300 * 1024 * 1024);
    expect((await send("/health")).status).toBe(200);
  });

  it("by a thousand connections that say nothing keeps no other client out", async () => {
    const idle: Socket[] = [];
    const heard: string[] = [];
    for (let at = 0; at < 1_000; at++) {
      const connection = connect(port, "127.0.0.1").setEncoding("utf8");
      connection.on("error", () => connection.destroy());
      connection.on("data", (text: string) => heard.push(text.split("\r\n")[0] ?? ""));
      idle.push(connection);
    }
    await until(() => (heard.length > 500 ? true : undefined), "the oldest to be told to go");
    expect(new Set(heard)).toEqual(new Set(["HTTP/1.1 408 Request Timeout"]));
    expect((await send("/health")).status).toBe(200);
    expect((await send("/api/stats")).status).toBe(200);
    for (const connection of idle) connection.destroy();
  });
});

/** Sends a body without saying how long it is, for as long as the other side listens. */
function upload(size: number): Promise<string> {
  return new Promise((resolve) => {
    const connection = connect(port, "127.0.0.1").setEncoding("utf8");
    let answer = "";
    connection.on("data", (chunk: string) => {
      answer += chunk;
    });
    connection.on("error", () => connection.destroy());
    connection.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
    connection.write(
      `POST /api/settings HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const piece = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    let sent = 0;
    const more = (): void => {
      while (sent < size && !connection.destroyed && answer === "") {
        sent += 0x10000;
        if (!connection.write(piece)) {
          connection.once("drain", more);
          return;
        }
      }
      connection.end();
    };
    more();
  });
}

interface Received {
  readonly id: number;
  readonly event: string;
}

/** Reads a stream until `count` changes have come, then hangs up. */
function listen(count: number, lastEventId?: string): Promise<Received[]> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const outgoing = request({ host: "127.0.0.1", port, path: "/stream", headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const changes = [...text.matchAll(/event: (\w+)\ndata: [^\n]*\nid: (\d+)\n\n/g)].map(
          ([, event = "", id]) => ({ event, id: Number(id) }),
        );
        if (changes.length < count) return;
        outgoing.destroy();
        resolve(changes.slice(0, count));
      });
    });
    outgoing.on("error", reject);
    outgoing.on("close", () => reject(new Error("the stream ended")));
    outgoing.end();
  });
}

describe("the stream", () => {
  it("goes on where the reader left off, without gaps and without doubles", async () => {
    for (let at = 0; at < 30; at++) place.spoolEvent(toolPayload("s1", at));
    await call(place.socket, "drain");
    const all: Received[] = [];
    for (let last = "0"; all.length < 60; last = String(all.at(-1)?.id)) {
      const reading = listen(12, last);
      if (all.length < 30)
        for (let at = 0; at < 15; at++) place.spoolEvent(toolPayload("s2", all.length * 100 + at));
      all.push(...(await reading));
    }
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const kept = await place.withStore((store) => store.feedSince(0, 100));
    expect(ids).toEqual(kept.map(({ cursor }) => cursor).slice(0, ids.length));
  });

  it("begins with what comes next when the reader names no place", async () => {
    place.spoolEvent(toolPayload("s1", 1));
    await call(place.socket, "drain");
    const reading = listen(2);
    await until(async () => ((await place.status()).streams === 1 ? true : undefined), "the reader");
    place.spoolEvent(promptPayload("s1", "hello"));
    expect((await reading).map(({ event }) => event).sort()).toEqual(["event", "prompt"]);
    await until(
      async () => ((await place.status()).streams === 0 ? true : undefined),
      "the reader to be gone",
    );
  });

  it("has a head and keeps nothing open for it", async () => {
    expect((await send("/stream", { method: "HEAD" })).status).toBe(200);
    expect((await place.status()).streams).toBe(0);
  });

  it("refuses a place that it never gave", async () => {
    expect(await send("/stream", { headers: { "last-event-id": "x" } })).toMatchObject({ status: 400 });
  });

  it("ends with the worker, and lets it go", async () => {
    const reading = listen(1, "0").catch(() => "ended");
    await until(async () => ((await place.status()).streams === 1 ? true : undefined), "the reader");
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
    expect(await reading).toBe("ended");
  });
});
