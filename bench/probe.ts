// Whether search finds an observation by a few of its own words, against plain full-text AND and OR on the same index.
// usage: npm run bench:probe -- [observations] [queries]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { search } from "../src/search/index.ts";
import { type NewObservation, openStore, type Store } from "../src/store/index.ts";
import { queryTerms } from "../src/terms/index.ts";
import { type Generator, generator, type Tongue, wordsOf } from "./retrieval/zipf.ts";

const COUNT = Number(process.argv[2] ?? 10_000);
const QUERIES = Number(process.argv[3] ?? 150);
const TOP = 20;

const rows = [
  { name: "2 scattered", words: 2, contiguous: false },
  { name: "3 scattered", words: 3, contiguous: false },
  { name: "5 scattered", words: 5, contiguous: false },
  { name: "3 contiguous", words: 3, contiguous: true },
] as const;

function pick(
  { chance }: Generator,
  target: NewObservation,
  { words, contiguous }: (typeof rows)[number],
): string[] {
  const all = wordsOf(target.narrative ?? "");
  if (contiguous) {
    const start = chance(all.length - words + 1);
    return all.slice(start, start + words);
  }
  const chosen = new Set<string>();
  const distinct = new Set([...all, ...wordsOf(target.title)]);
  const list = [...distinct];
  while (chosen.size < words) chosen.add(list[chance(list.length)] ?? "");
  return [...chosen];
}

async function plain(store: Store, query: string, mode: "any" | "all"): Promise<number[]> {
  const terms = queryTerms(query).map(({ term }) => term);
  const found = await store.passages({ terms, mode, limit: TOP, kinds: ["observation"] });
  return found.map(({ entry }) => entry.ref);
}

async function probe(store: Store, tongue: Tongue, made: Generator, kept: readonly NewObservation[]) {
  const lines: string[] = [];
  for (const row of rows) {
    const found = { ours: 0, and: 0, or: 0 };
    for (let at = 0; at < QUERIES; at += 1) {
      const index = made.chance(kept.length);
      const target = kept[index];
      if (target === undefined) continue;
      const words = pick(made, target, row);
      const query = words.join(row.contiguous && tongue === "zh" ? "，" : " ");
      const id = index + 1;
      const { hits } = await search({ store }, { query, limit: TOP, layer: "index", kinds: ["observation"] });
      found.ours += hits.some(({ ref }) => ref === `#${id}`) ? 1 : 0;
      found.and += (await plain(store, query, "all")).includes(id) ? 1 : 0;
      found.or += (await plain(store, query, "any")).includes(id) ? 1 : 0;
    }
    const percent = (count: number): string => `${((100 * count) / QUERIES).toFixed(1)} %`.padStart(8);
    const isGood =
      found.ours >= Math.max(found.and, found.or) && (!row.contiguous || found.ours >= 0.98 * QUERIES);
    lines.push(
      `  ${row.name.padEnd(14)}${percent(found.ours)}${percent(found.and)}${percent(found.or)}  ${isGood ? "holds" : "DOES NOT HOLD"}`,
    );
    if (!isGood) process.exitCode = 1;
  }
  return lines;
}

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-probe-"));
try {
  for (const tongue of ["en", "zh"] as const) {
    const made = generator(tongue, tongue === "en" ? 1 : 2);
    const store = await openStore({ file: path.join(folder, `${tongue}.db`) });
    const kept = Array.from({ length: COUNT }, (_, at) => made.observation(at));
    for (let at = 0; at < COUNT; at += 500) await store.addObservations(kept.slice(at, at + 500));
    const lines = await probe(store, tongue, made, kept);
    process.stdout.write(
      `${tongue}: ${COUNT} observations, ${QUERIES} queries a row, recall@${TOP}\n  ${"".padEnd(14)}  search     AND      OR\n${lines.join("\n")}\n`,
    );
    await store.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
