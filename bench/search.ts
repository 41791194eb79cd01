// What a search costs where little and where much is kept, against one bare full-text query of any of its words over the same texts.
import path from "node:path";
import { search } from "../src/search/index.ts";
import { openStore } from "../src/store/index.ts";
import { connectReadOnly } from "../src/store/sqlite/connection.ts";
import type { Bench } from "./bench.ts";
import { inFolder, median, numberAt, rounded, timed } from "./measure.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

/** At most so many times a bare query. A search has a fixed part, which a bare query of few rows is quicker than. */
const bars: ReadonlyMap<number, number> = new Map([
  [1_000, 4],
  [10_000, 2],
  [100_000, 1],
]);

/** Asked before anything is timed: a worker that searches has done so before, and its code is compiled. */
const warmUpAmong = (count: number) => Math.min(200, Math.ceil(20_000_000 / count));

/** The ids of the best twenty, by a table that has the words as they are: no rows, no ranking but the engine's own. */
const BARE = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rank LIMIT 20";

async function measure(count: number, queries: number) {
  return inFolder("search", async (folder) => {
    const made = generator("en", 7);
    const store = await openStore({ file: path.join(folder, "throughline.db") });
    const texts: string[] = [];
    const filled = await timed(async () => {
      for (let at = 0; at < count; at += 1_000) {
        const size = Math.min(1_000, count - at);
        const batch = Array.from({ length: size }, (_, index) => made.observation(at + index));
        texts.push(...batch.map(({ narrative }) => narrative));
        await store.addObservations(batch);
      }
    });
    const file = path.join(folder, "throughline.db");
    const [bare, whole]: [number[], number[]] = [[], []];
    const db = await connectReadOnly(file);
    for (let at = -warmUpAmong(count); at < queries; at += 1) {
      const words = wordsOf(texts[made.chance(texts.length)] ?? "");
      const query = Array.from({ length: 3 }, () => words[made.chance(words.length)]).join(" ");
      const any = wordsOf(query)
        .map((word) => `"${word}"`)
        .join(" OR ");
      const bareMs = await timed(async () => db.all(BARE, any));
      const searchMs = await timed(() => search({ store }, { query, projects: ["probe"] }));
      if (at < 0) continue;
      bare.push(bareMs);
      whole.push(searchMs);
    }
    db.close();
    const { bytes } = await store.stats();
    await store.close();
    return {
      observations: count,
      "bare query ms": rounded(median(bare)),
      "search ms": rounded(median(whole)),
      "search ×": rounded(median(whole) / median(bare)),
      "kept a second": Math.round((count * 1_000) / filled),
      MB: Math.round(bytes / 1e6),
      "peak memory MB": Math.round(process.resourceUsage().maxRSS / 1_024),
    };
  });
}

export const bench: Bench = {
  name: "search",
  measures: ["src/search", "src/store", "src/terms", "src/dates"],
  about:
    "A search of three words, in multiples of one bare full-text query of any of them over the same texts.",
  usage: "[observations] [queries]",
  async run(args) {
    const most = numberAt(args, 0, 100_000);
    const queries = numberAt(args, 1, 100);
    const rows = [];
    for (const count of [...new Set([...bars.keys(), most])].filter((one) => one <= most))
      rows.push(await measure(count, queries));
    return {
      findings: [{ title: "Observations kept, and searched", rows }],
      bars: rows.flatMap((row) => {
        const atMost = bars.get(row.observations);
        const what = `search among ${row.observations.toLocaleString("en-US")} against a bare query`;
        return atMost === undefined ? [] : [{ what, value: row["search ×"], atMost }];
      }),
    };
  },
};
