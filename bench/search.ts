// What a search costs where much is kept, against one bare full-text query of any of its words on the same index.
// usage: npm run bench:search -- [observations] [queries]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { search } from "../src/search/index.ts";
import { openStore } from "../src/store/index.ts";
import { queryTerms } from "../src/terms/index.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

const COUNT = Number(process.argv[2] ?? 100_000);
const QUERIES = Number(process.argv[3] ?? 60);
const BAR = 4;

const middle = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-search-"));
try {
  const made = generator("en", 7);
  const store = await openStore({ file: path.join(folder, "throughline.db") });
  const began = performance.now();
  const texts: string[] = [];
  for (let at = 0; at < COUNT; at += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, COUNT - at) }, (_, index) =>
      made.observation(at + index),
    );
    texts.push(...batch.map(({ narrative }) => narrative));
    await store.addObservations(batch);
  }
  const rate = Math.round(COUNT / ((performance.now() - began) / 1_000));
  const bare: number[] = [];
  const whole: number[] = [];
  for (let at = 0; at < QUERIES; at += 1) {
    const words = wordsOf(texts[made.chance(texts.length)] ?? "");
    const query = Array.from({ length: 3 }, () => words[made.chance(words.length)]).join(" ");
    const terms = queryTerms(query).map(({ term }) => term);
    bare.push(await timed(() => store.passages({ terms, mode: "any", limit: 20 })));
    whole.push(await timed(() => search({ store }, { query, projects: ["probe"] })));
  }
  const ratio = middle(whole) / middle(bare);
  const { bytes } = await store.stats();
  process.stdout.write(
    `${COUNT} observations kept at ${rate}/s, ${Math.round(bytes / 1e6)} MB\nbare any-of top 20: ${middle(bare).toFixed(1)} ms; search: ${middle(whole).toFixed(1)} ms; ${ratio.toFixed(2)} times (at most ${BAR})\n`,
  );
  if (ratio > BAR) process.exitCode = 1;
  await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
