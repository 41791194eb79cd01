// A model measured on what is stored, and switched on only where it is worth it.
import { beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { safetensors, typed } from "../../../test/fixtures/safetensors.ts";
import { openStatic } from "../../embed/index.ts";
import { databaseFile } from "../../home/index.ts";
import { embedNext } from "../../search/index.ts";
import { openStore } from "../../store/index.ts";

const terminal = commandLine();
const open = () => openStore({ file: databaseFile(terminal.home) });

const COUNT = 24;
const DIMENSIONS = 32;
const letters = (n: number): string => String.fromCharCode(97 + Math.floor(n / 5), 97 + (n % 5));
/** What titles say, and what texts say for it. */
const said = (n: number): string => `k${letters(n)}`;
const meant = (n: number): string => `v${letters(n)}`;

const pieces = [
  "[UNK]",
  ...Array.from({ length: COUNT }, (_, n) => said(n)),
  ...Array.from({ length: COUNT }, (_, n) => meant(n)),
];

/** With `isGood`, a word of a title and that of its text have one vector. */
function writeModel(folder: string, isGood: boolean): string {
  const vectors = pieces.map((_, id) => {
    const subject = isGood ? (id - 1) % COUNT : id;
    return Array.from({ length: DIMENSIONS }, (__, column) => Math.sin((subject + 1) * (column + 1.3)));
  });
  const bytes = typed("F32", vectors.flat());
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  terminal.write(`${folder}/tokenizer.json`, JSON.stringify({ model: { type: "WordPiece", vocab } }));
  return terminal.write(
    `${folder}/model.safetensors`,
    safetensors({ embeddings: { type: "F32", shape: [pieces.length, DIMENSIONS], bytes } }),
  );
}

async function keep(count: number): Promise<void> {
  const store = await open();
  await store.addObservations(
    Array.from({ length: count }, (_, n) => ({
      ...{ session: "s", project: "app", promptNumber: 1, type: "change" as const },
      ...{ at: new Date(Date.UTC(2026, 10, 1, 0, n)).toISOString(), title: said(n) },
      narrative: `${meant(n)} `.repeat(30),
    })),
  );
  await store.close();
}

beforeEach(() => keep(COUNT));

const setting = (key: string): string => terminal.run(["config", "get", key]).out.trim();

describe("throughline embed setup", () => {
  it("says in three lines how to get a model", () => {
    const { code, out } = terminal.run(["embed", "setup"]);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => line.slice(0, 2)),
    ).toEqual(["1.", "2.", "3."]);
  });

  it("measures a model on the titles and texts that are stored, and changes nothing", () => {
    const { code, out } = terminal.run(["embed", "setup", writeModel("good", true)]);
    expect(out).toMatch(
      /^Of 24 titles of yours, the model puts the right text first for 24, words do for 0\./,
    );
    expect(out).toMatch(/all 24 passages take about/);
    expect([code, setting("search.embedder")]).toEqual([0, "none"]);
  });

  it("switches it on when told to, if it finds enough", () => {
    const file = writeModel("good", true);
    expect(terminal.run(["embed", "setup", file, "--on"]).code).toBe(0);
    expect([setting("search.embedder"), setting("search.modelFile")]).toEqual(["model2vec", file]);
  });

  it("does not switch on one that finds nothing", async () => {
    const { code, err } = terminal.run(["embed", "setup", writeModel("bad", false), "--on"]);
    expect(code).not.toBe(0);
    expect(err).toMatch(/It would add little/);
    expect(setting("search.embedder")).toBe("none");
  });

  it("refuses what is no model", () => {
    expect(terminal.run(["embed", "setup", terminal.write("notes.txt", "x")]).err).toMatch(/\.safetensors/);
  });
});

it("needs some observations to measure a model", async () => {
  const store = await open();
  await store.forget({ project: "app" });
  await store.close();
  expect(terminal.run(["embed", "setup", writeModel("good", true)]).err).toMatch(
    /only 0 observations .* 20 are needed/,
  );
});

it("shows how far the vectors are", async () => {
  expect(terminal.run(["embed", "status"]).out).toMatch(/search\.embedder: none\nThere are no vectors\./);
  const store = await open();
  const embedder = await openStatic({ file: writeModel("good", true) });
  await embedNext(store, { ...embedder, batch: 6 });
  await embedder.close();
  await store.close();
  expect(terminal.run(["embed", "status"]).out).toMatch(
    /6 of 24 passages \(25 %\) have been read by model2vec:/,
  );
});
