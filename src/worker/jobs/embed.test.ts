// Vectors in the background: made of what waits, resumed after failures, and ended with the worker.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../../test/until.ts";
import type { Embedder } from "../../embed/index.ts";
import { openStore, type Store } from "../../store/index.ts";
import { type EmbedderSettings, type Embedding, type EmbeddingParts, makeEmbedding } from "./embed.ts";

let folder = "";
let store: Store;
let embedding: Embedding | undefined;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-embedding-"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
  await store.addMessages(
    Array.from({ length: 7 }, (_, n) => ({
      session: "s",
      uuid: `m${n}`,
      role: "user",
      text: `this is what was said about it the ${n + 1}th time`,
      at: new Date(Date.UTC(2026, 2, 2, 9, n)).toISOString(),
      project: "app",
    })),
  );
});
afterEach(async () => {
  await embedding?.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const settings: EmbedderSettings = {
  embedder: "packaged",
  model: "",
  baseUrl: "",
  apiKeyEnv: "",
  modelFile: "",
};

function embedder(id: string, more: Partial<Embedder> = {}): Embedder {
  return {
    id,
    dimensions: 2,
    languages: "en",
    batch: 2,
    embed: async (texts) => texts.map(() => Float32Array.from([1, 0])),
    close: async () => undefined,
    ...more,
  };
}

function started(parts: Pick<EmbeddingParts, "open"> & Partial<EmbeddingParts>): {
  readonly embedding: Embedding;
  readonly warnings: string[];
} {
  const warnings: string[] = [];
  const log = { warn: ({ problem }: { problem: string }) => warnings.push(problem) };
  const made = makeEmbedding({
    store,
    settings: () => settings,
    log,
    pauses: { lookMs: 5, failedMs: 5 },
    ...parts,
  });
  embedding = made;
  made.start();
  return { embedding: made, warnings };
}

const vectors = async (id = "one"): Promise<number> =>
  (await store.nearest({ model: { id, dimensions: 2 }, vector: Float32Array.from([1, 0]), limit: 100 }))
    .length;

it("makes vectors of everything that waits, and of what comes later", async () => {
  started({ open: async () => embedder("one") });
  await until(async () => (await vectors()) === 7, "the vectors", { everyMs: 5 });
  await store.addObservations([
    {
      session: "s",
      project: "app",
      promptNumber: 1,
      at: new Date(Date.UTC(2026, 2, 2, 10)).toISOString(),
      type: "discovery",
      title: "There is more to it than was thought",
    },
  ]);
  await until(async () => (await vectors()) === 8, "the vectors", { everyMs: 5 });
});

it("goes on where it was after an embedder failed, and says that it did", async () => {
  let calls = 0;
  const unsteady = embedder("one", {
    embed: async (texts) => {
      calls += 1;
      if (calls === 3) throw new Error("nobody is there");
      return texts.map(() => Float32Array.from([1, 0]));
    },
  });
  const { warnings } = started({ open: async () => unsteady });
  await until(async () => (await vectors()) === 7, "the vectors", { everyMs: 5 });
  // Four batches and the one that failed.
  expect(calls).toBe(5);
  expect(warnings).toEqual(["nobody is there"]);
});

it("tries again what could not be opened, and answers requests with the reason meanwhile", async () => {
  let isThere = false;
  const made = started({
    open: async () => (isThere ? embedder("one") : Promise.reject(new Error("not yet"))),
  });
  await until(() => made.warnings.length > 1, "the model", { everyMs: 5 });
  await expect(made.embedding.current()).rejects.toThrow("not yet");
  isThere = true;
  await until(async () => (await vectors()) === 7, "the vectors", { everyMs: 5 });
});

it("follows the settings: another model makes all vectors anew, none makes none", async () => {
  let current: EmbedderSettings = { ...settings, embedder: "none" };
  const closed: string[] = [];
  const made = started({
    settings: () => current,
    open: async ({ model }) => embedder(model, { close: async () => void closed.push(model) }),
  });
  expect(await made.embedding.current()).toBeUndefined();
  for (const model of ["one", "two"]) {
    current = { ...settings, model };
    await until(async () => (await vectors(model)) === 7, "the vectors", { everyMs: 5 });
  }
  current = { ...settings, embedder: "none" };
  await until(async () => (await made.embedding.current()) === undefined, "the model", { everyMs: 5 });
  expect(closed).toEqual(["one", "two"]);
});

it("does not keep a worker that leaves waiting for vectors", async () => {
  let fail: (error: Error) => void = () => undefined;
  const hanging = embedder("one", {
    embed: () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
    close: async () => fail(new Error("closed")),
  });
  const made = started({ open: async () => hanging });
  await until(() => made.embedding.busy(), "the model", { everyMs: 5 });
  await made.embedding.stop();
  expect(made.embedding.busy()).toBe(false);
  expect(made.warnings).toEqual([]);
  expect(await vectors()).toBe(0);
});
