// What a page does about privacy and moving house, at a real worker: pause, forget, export, import; and whether a model answers.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../src/ipc/index.ts";
import { anything, on, say, startScriptedApi } from "../scripted-api/index.ts";
import { builtWorker as worker } from "./bundle.ts";
import { type Answer, type Face, faceOf } from "./httpClient.ts";
import { promptPayload } from "./payloads.ts";
import { until, workerHome } from "./workers.ts";

const place = workerHome("file");
let face: Face;

beforeAll(async () => {
  await place.run(worker, { ANTHROPIC_API_KEY: "sk-test" });
  face = await faceOf(place);
});

async function ask(session: string, prompt: string): Promise<void> {
  place.spoolEvent(promptPayload(session, prompt));
  await call(place.socket, "drain");
}

const counts = async (): Promise<unknown> => {
  const { store } = (await face.get("/api/stats")).body;
  return (store as { counts: unknown }).counts;
};

const bringIn = (text: string): Promise<Answer> => face.send("/api/import", "application/x-ndjson", text);

describe("a pause", () => {
  it("begins and ends from the page", async () => {
    expect((await face.post("/api/pause", { paused: true })).body).toEqual({ paused: true });
    expect((await face.get("/api/me")).body).toMatchObject({ paused: true });
    expect(await place.status()).toMatchObject({ paused: true });
    expect((await face.post("/api/pause", { paused: false })).body).toEqual({ paused: false });
    expect((await face.get("/api/me")).body).toMatchObject({ paused: false });
    expect((await face.post("/api/pause", { paused: "yes" })).status).toBe(400);
  });
});

describe("one observation", () => {
  it("is edited, deleted and brought back from the page", async () => {
    const at = "2026-11-16T09:00:00.000Z";
    const [head, row] = [
      { throughline: "export", version: 1 },
      { type: "observation", uid: "ob_page", session: "page", project: "page-00000001", promptNumber: 1, at },
    ];
    await bringIn(
      `${JSON.stringify(head)}\n${JSON.stringify({ ...row, observationType: "change", title: "late" })}\n`,
    );
    const item = async (): Promise<string> => JSON.stringify((await face.get("/api/observations")).body);
    const { items } = (await face.get("/api/observations?project=page-00000001")).body as {
      items: { id: number }[];
    };
    const ref = `#${items[0]?.id}`;
    const change = (body: object): Promise<Answer> => face.post("/api/item", { ref, ...body });
    expect((await change({ action: "edit", text: { title: "on time" } })).body).toMatchObject({
      ...{ ref, outcome: "edited", item: { title: "on time" } },
    });
    expect((await change({ action: "delete" })).status).toBe(200);
    expect(await item()).not.toContain("on time");
    expect((await change({ action: "delete" })).status).toBe(404);
    expect((await change({ action: "undo" })).body).toMatchObject({ item: { title: "on time" } });
    expect((await change({ action: "undo" })).body).toMatchObject({ item: { title: "late" } });
    expect((await change({ action: "undo" })).status).toBe(404);
    expect((await change({ action: "burn" })).status).toBe(400);
  });
});

describe("forgetting", () => {
  it("shows what would go, lets it go, and finds nothing of it afterwards", async () => {
    await ask("gone", "what nobody should remember");
    await ask("stays", "what may stay");
    const preview = await face.post("/api/forget", { session: "gone" });
    expect(preview.body).toMatchObject({ found: { rows: { prompts: 1, sessions: 1 } } });
    expect(preview.body).not.toHaveProperty("left");
    expect((await face.get("/api/session?id=gone")).status).toBe(200);
    const done = await face.post("/api/forget", { session: "gone", carryOut: true });
    expect(done.body).toMatchObject({
      found: { rows: { prompts: 1 } },
      left: { rows: { prompts: 0, sessions: 0 } },
    });
    expect((await face.get("/api/session?id=gone")).status).toBe(404);
    expect((await face.get("/api/session?id=stays")).status).toBe(200);
  });

  it("never takes everything for want of a word", async () => {
    const before = await counts();
    for (const scope of [{}, { session: "" }, { from: "soon" }, { project: 7 }])
      expect([scope, (await face.post("/api/forget", { ...scope, carryOut: true })).status]).toEqual([
        scope,
        400,
      ]);
    expect(await counts()).toEqual(before);
  });
});

describe("export and import", () => {
  it("are a file that comes back as it was", async () => {
    await ask("moved", "how to move house");
    const out = await face.get("/api/export?session=moved");
    expect(out.headers).toMatchObject({
      "content-type": expect.stringContaining("ndjson"),
      "content-disposition": expect.stringMatching(
        /^attachment; filename="throughline-everything-\d{4}-\d\d-\d\d\.jsonl"$/,
      ),
    });
    const lines = String(out.body.text);
    expect(lines.trim().split("\n")).toHaveLength(5);
    expect((await bringIn(lines)).body).toMatchObject({
      added: { events: 0 },
      known: { events: 1 },
      complete: true,
    });
    const other = lines.replaceAll('"moved"', '"copied"').replaceAll("ev_", "ev_copied");
    expect((await bringIn(other)).body).toMatchObject({ added: { events: 1, prompts: 1 }, rejectedCount: 0 });
    expect((await face.get("/api/prompts?session=copied")).body.items).toMatchObject([
      { promptText: "how to move house" },
    ]);
    expect((await face.get("/api/export?from=soon")).status).toBe(400);
  });

  it("hide secrets in what comes in, and say what could not be used", async () => {
    const { body } = await face.get("/api/export?session=moved");
    const key = `AKIA${"Q7RZ5XM2K4T6W3PN"}`;
    const lines = String(body.text)
      .replaceAll('"moved"', '"secret"')
      .replaceAll("ev_", "ev_secret")
      .replaceAll("how to move house", `the key is ${key}`);
    const [head, ...rest] = lines.split("\n");
    const report = await bringIn([head, "{broken", ...rest].join("\n"));
    expect(report.body).toMatchObject({ added: { prompts: 1 }, rejectedCount: 1, rejected: [{ line: 2 }] });
    const kept = await face.get("/api/prompts?session=secret");
    expect(JSON.stringify(kept.body)).toContain("[redacted");
    expect(JSON.stringify(kept.body)).not.toContain(key);
  });

  it("take nothing of what is no export, too long, or of another type", async () => {
    const before = await counts();
    expect((await bringIn("hello\n")).status).toBe(400);
    expect((await bringIn("")).status).toBe(400);
    expect((await face.send("/api/import", "text/plain", "x")).status).toBe(415);
    expect((await face.send("/api/import", "application/json", "{}")).status).toBe(415);
    const tooLong = { "content-length": String(513 * 1024 * 1024) };
    expect((await face.send("/api/import", "application/x-ndjson", "", tooLong)).status).toBe(413);
    expect(await counts()).toEqual(before);
  });

  it("take one body at a time, and leave nothing of one that broke off", async () => {
    const before = await counts();
    const lines = String((await face.get("/api/export?session=moved")).body.text)
      .replaceAll('"moved"', '"half"')
      .replaceAll("ev_", "ev_half");
    const slow = connect(face.port, "127.0.0.1").setEncoding("utf8");
    slow.on("error", () => slow.destroy());
    const head = [
      "POST /api/import HTTP/1.1",
      `Host: 127.0.0.1:${face.port}`,
      `Authorization: ${face.authorization}`,
      "Content-Type: application/x-ndjson",
      `Content-Length: ${lines.length + 1}`,
      "Expect: 100-continue",
    ];
    slow.write(`${head.join("\r\n")}\r\n\r\n`);
    expect(String(await once(slow, "data"))).toContain("100 Continue");
    slow.write(lines);
    expect((await bringIn("x")).status).toBe(409);
    slow.destroy();
    await until(
      async () => ((await bringIn("x")).status === 400 ? true : undefined),
      "the first to be given up",
    );
    expect(await counts()).toEqual(before);
    expect(readdirSync(place.home.state).filter((name) => name.startsWith("import"))).toEqual([]);
  });
});

describe("the test of a provider", () => {
  it("says that none is set, that one answers, and that one does not", async () => {
    expect((await face.post("/api/provider-test", {})).body).toMatchObject({
      ok: false,
      provider: "none",
      fix: expect.any(String),
    });
    const api = await startScriptedApi({ scenario: [on(anything, say("ready"))] });
    try {
      await face.post("/api/settings", {
        "llm.provider": "anthropic",
        "llm.baseUrl": api.url,
        "llm.model": "claude-haiku-4-5",
      });
      expect((await face.post("/api/provider-test", {})).body).toMatchObject({
        ok: true,
        provider: "anthropic",
        model: expect.any(String),
        message: "ready",
        milliseconds: expect.any(Number),
      });
    } finally {
      await api.close();
    }
    expect((await face.post("/api/provider-test", {})).body).toMatchObject({
      ok: false,
      message: expect.any(String),
      fix: expect.any(String),
    });
  });
});
