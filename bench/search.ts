// What a search costs where little and where much is kept, against one bare full-text query of any of its words.
import path from "node:path";
import { search } from "../src/search/index.ts";
import { openStore } from "../src/store/index.ts";
import { queryTerms } from "../src/terms/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, median, numberAt, rounded, timed } from "./measure.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

/** What is measured at every size has a fixed part, which a bare query of few rows is quicker than. */
const BAR = { observations: 100_000, times: 4 };

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
    const [bare, whole]: [number[], number[]] = [[], []];
    for (let at = 0; at < queries; at += 1) {
      const words = wordsOf(texts[made.chance(texts.length)] ?? "");
      const query = Array.from({ length: 3 }, () => words[made.chance(words.length)]).join(" ");
      const terms = queryTerms(query).map(({ term }) => term);
      bare.push(await timed(() => store.passages({ terms, mode: "any", limit: 20 })));
      whole.push(await timed(() => search({ store }, { query, projects: ["probe"] })));
    }
    const { bytes } = await store.stats();
    await store.close();
    return {
      observations: count,
      "bare query ms": rounded(median(bare)),
      "search ms": rounded(median(whole)),
      "search ×": rounded(median(whole) / median(bare)),
      "kept a second": Math.round((count * 1_000) / filled),
      MB: Math.round(bytes / 1e6),
    };
  });
}

export const bench: Bench = {
  name: "search",
  about:
    "A search of three words, in multiples of one bare full-text query of any of them on the same index.",
  usage: "[observations] [queries]",
  async run(args) {
    const most = numberAt(args, 0, 100_000);
    const queries = numberAt(args, 1, 60);
    const rows = [];
    for (const count of [...new Set([1_000, 10_000, most])].filter((one) => one <= most))
      rows.push(await measure(count, queries));
    return {
      findings: [{ title: "Observations kept, and searched", rows }],
      bars: rows
        .filter(({ observations }) => observations >= BAR.observations)
        .map((row) => ({
          what: `search among ${row.observations.toLocaleString("en-US")} against a bare query`,
          value: row["search ×"],
          atMost: BAR.times,
        })),
    };
  },
};
