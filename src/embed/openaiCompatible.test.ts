// A server of embeddings, scripted: what it is sent, what is made of its answers, and how it may fail.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { embedderContract } from "./contract.ts";
import { openServer, type ServerSettings } from "./openaiCompatible.ts";

interface Asked {
  readonly path: string | undefined;
  readonly key: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

type Reply = (asked: Asked) => { readonly status?: number; readonly body: unknown } | "silence";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(reply: Reply): Promise<{ settings: ServerSettings; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += String(part);
    });
    request.on("end", () => {
      const one = { path: request.url, key: request.headers.authorization, body: JSON.parse(text) };
      asked.push(one);
      const answer = reply(one);
      if (answer === "silence") return;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    });
  });
  const opened = server;
  await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve));
  const { port } = opened.address() as AddressInfo;
  const settings = {
    model: "tiny",
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    apiKeyEnv: "EMBED_KEY",
    env: { EMBED_KEY: "k" },
    redact: (text: string) => text.replaceAll("hunter2", "[secret]"),
  };
  return { settings, asked };
}

const lengths: Reply = ({ body: { input } }) => ({
  // Backwards, as a server may: the index says which is which.
  body: { data: input.map((text, index) => ({ index, embedding: [text.length, index, 1] })).reverse() },
});

/** How often each letter occurs: as good a meaning as any for a server that is none. */
const letters: Reply = ({ body: { input } }) => ({
  body: {
    data: input.map((text, index) => ({
      index,
      embedding: [..."etaoins"].map((letter) => text.split(letter).length),
    })),
  },
});

embedderContract("of a server", async () => openServer((await serving(letters)).settings));

it("learns how long vectors are, and gives each text its own", async () => {
  const { settings, asked } = await serving(lengths);
  const embedder = await openServer(settings);
  expect(embedder).toMatchObject({ id: "openai-compatible:tiny", dimensions: 3, languages: "any" });
  const vectors = await embedder.embed(["a", "four"]);
  expect(vectors.map((vector) => [...vector])).toEqual([
    [1, 0, 1],
    [4, 1, 1],
  ]);
  expect(asked.at(-1)).toMatchObject({ path: "/v1/embeddings", key: "Bearer k", body: { model: "tiny" } });
});

it("sends nothing that was not redacted", async () => {
  const { settings, asked } = await serving(lengths);
  await (await openServer(settings)).embed(["the password is hunter2"]);
  expect(asked.at(-1)?.body.input).toEqual(["the password is [secret]"]);
});

it.each([
  ["a refusal", { status: 429, body: { error: "slow down" } }],
  ["no JSON", { body: "<html>" }],
  ["too few vectors", { body: { data: [{ index: 0, embedding: [1, 2] }] } }],
  ["vectors of two lengths", { body: { data: [{ embedding: [1, 2] }, { embedding: [1] }] } }],
  ["vectors that are none", { body: { data: [{ embedding: ["x", 2] }, { embedding: [1, 2] }] } }],
])("fails in our words for %s", async (_, answer) => {
  let isOpen = false;
  const { settings } = await serving((asked) => (isOpen ? answer : lengths(asked)));
  const embedder = await openServer(settings);
  isOpen = true;
  await expect(embedder.embed(["one", "two"])).rejects.toMatchObject({ code: "embedder-failed" });
});

it("says so where no server listens, where no model is named, and where an answer does not come", async () => {
  const { settings } = await serving(() => "silence");
  const code = { code: "embedder-failed" };
  await expect(openServer({ ...settings, timeoutMs: 50 })).rejects.toMatchObject(code);
  await expect(openServer({ ...settings, model: "" })).rejects.toMatchObject(code);
  await expect(openServer({ ...settings, baseUrl: "http://127.0.0.1:1/v1" })).rejects.toMatchObject(code);
});

it("ends a question that is under way when it is closed", async () => {
  let isOpen = false;
  const { settings, asked } = await serving((one) => (isOpen ? "silence" : lengths(one)));
  const embedder = await openServer(settings);
  isOpen = true;
  const pending = embedder.embed(["never answered"]);
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await embedder.close();
  await expect(pending).rejects.toMatchObject({ code: "embedder-failed" });
});
