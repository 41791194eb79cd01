// Whether search finds an observation by a few of its own words, against plain full-text AND and OR on the same index.
import path from "node:path";
import { search } from "../src/search/index.ts";
import { type NewObservation, openStore, type Store } from "../src/store/index.ts";
import { queryTerms } from "../src/terms/index.ts";
import type { Bar, Bench } from "./bench.ts";
import { inFolder, numberAt, rounded } from "./measure.ts";
import { type Generator, generator, type Tongue, wordsOf } from "./retrieval/zipf.ts";

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

interface Probed {
  readonly row: Readonly<Record<string, string | number>>;
  readonly bars: readonly Bar[];
}

interface Kept {
  readonly store: Store;
  readonly tongue: Tongue;
  readonly made: Generator;
  readonly kept: readonly NewObservation[];
}

async function probe(
  { store, tongue, made, kept }: Kept,
  row: (typeof rows)[number],
  queries: number,
): Promise<Probed> {
  const found = { ours: 0, and: 0, or: 0 };
  for (let at = 0; at < queries; at += 1) {
    const index = made.chance(kept.length);
    const target = kept[index];
    if (target === undefined) continue;
    const query = pick(made, target, row).join(row.contiguous && tongue === "zh" ? "，" : " ");
    const id = index + 1;
    const { hits } = await search({ store }, { query, limit: TOP, layer: "index", kinds: ["observation"] });
    found.ours += hits.some(({ ref }) => ref === `#${id}`) ? 1 : 0;
    found.and += (await plain(store, query, "all")).includes(id) ? 1 : 0;
    found.or += (await plain(store, query, "any")).includes(id) ? 1 : 0;
  }
  const percent = (count: number): number => rounded((100 * count) / queries, 1);
  const value = percent(found.ours);
  const what = `${tongue}, ${row.name}, %`;
  return {
    row: { words: row.name, "search %": value, "AND %": percent(found.and), "OR %": percent(found.or) },
    bars: [
      {
        what: `${what}, against the better of AND and OR`,
        value,
        atLeast: percent(Math.max(found.and, found.or)),
      },
      ...(row.contiguous ? [{ what, value, atLeast: 98 }] : []),
    ],
  };
}

async function probeTongue(
  folder: string,
  tongue: Tongue,
  count: number,
  queries: number,
): Promise<Probed[]> {
  const made = generator(tongue, tongue === "en" ? 1 : 2);
  const store = await openStore({ file: path.join(folder, `${tongue}.db`) });
  const kept = Array.from({ length: count }, (_, at) => made.observation(at));
  for (let at = 0; at < count; at += 500) await store.addObservations(kept.slice(at, at + 500));
  const probed: Probed[] = [];
  for (const row of rows) probed.push(await probe({ store, tongue, made, kept }, row, queries));
  await store.close();
  return probed;
}

export const bench: Bench = {
  name: "probe",
  measures: ["src/search", "src/terms"],
  about:
    "Whether search finds an observation by a few of its own words, against plain full-text AND and OR on the same index.",
  usage: "[observations] [queries]",
  async run(args) {
    const count = numberAt(args, 0, 10_000);
    const queries = numberAt(args, 1, 150);
    return inFolder("probe", async (folder) => {
      const all = [];
      for (const tongue of ["en", "zh"] as const)
        all.push({ tongue, probed: await probeTongue(folder, tongue, count, queries) });
      return {
        findings: all.map(({ tongue, probed }) => ({
          title: `${tongue}: found among the first ${TOP} of ${count.toLocaleString("en-US")}`,
          rows: probed.map(({ row }) => row),
        })),
        bars: all.flatMap(({ probed }) => probed.flatMap(({ bars }) => bars)),
      };
    });
  },
};
