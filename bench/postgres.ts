// What a search costs in PostgreSQL against SQLite over the same observations, alone in the tables and among other teams.
import path from "node:path";
import pg from "pg";
import { search } from "../src/search/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { openPostgresStore } from "../src/store/postgres/engine.ts";
import { startPostgres } from "../test/postgres/server.ts";
import type { Bench } from "./bench.ts";
import { inFolder, median, numberAt, rounded, timed } from "./measure.ts";
import { generator, wordsOf } from "./retrieval/zipf.ts";

async function fill(store: Store, count: number) {
  const made = generator("en", 7);
  const texts: string[] = [];
  for (let at = 0; at < count; at += 500) {
    const size = Math.min(500, count - at);
    const batch = Array.from({ length: size }, (_, index) => made.observation(at + index));
    texts.push(...batch.map(({ narrative }) => narrative));
    await store.addObservations(batch);
  }
  return texts;
}

function queriesOf(texts: readonly string[], amount: number) {
  const made = generator("en", 11);
  return Array.from({ length: amount }, () => {
    const words = wordsOf(texts[made.chance(texts.length)] ?? "");
    return Array.from({ length: 3 }, () => words[made.chance(words.length)]).join(" ");
  });
}

/** The best five of each query, so that both engines can be compared, and the time in the middle. */
async function searched(store: Store, queries: readonly string[]) {
  const times: number[] = [];
  const found: string[] = [];
  for (const query of queries) {
    times.push(
      await timed(async () => {
        const { hits } = await search({ store }, { query, projects: ["probe"] });
        found.push(
          hits
            .slice(0, 5)
            .map(({ ref }) => ref)
            .join(" "),
        );
      }),
    );
  }
  return { ms: median(times), found };
}

async function withServer<T>(use: (url: string) => Promise<T>): Promise<T> {
  const server = await startPostgres(process.env.THROUGHLINE_PG_BIN);
  if ("reason" in server) throw new Error(server.reason);
  try {
    const admin = new pg.Client(server.url);
    await admin.connect();
    await admin.query("CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS");
    await admin.query("CREATE DATABASE throughline OWNER throughline");
    await admin.end();
    return await use(`postgres://throughline@${new URL(server.url).host}/throughline`);
  } finally {
    server.stop();
  }
}

async function measure(url: string, count: number, teams: number, queries: number) {
  return inFolder("postgres", async (folder) => {
    const sqlite = await openStore({ file: path.join(folder, "throughline.db") });
    const texts = await fill(sqlite, count);
    const schema = `bench_${count}_${teams}`;
    const stores = await Promise.all(
      Array.from({ length: teams }, (_, at) =>
        openPostgresStore({ url, schema, team: `team-${at}`, person: "ada" }),
      ),
    );
    const filling = await timed(async () => {
      for (const store of stores) await fill(store, count);
    });
    const [first] = stores;
    if (first === undefined) throw new Error("no team");
    await first.vacuum();
    const asked = queriesOf(texts, queries);
    const here = await searched(sqlite, asked);
    const there = await searched(first, asked);
    const same = asked.filter((_, at) => here.found[at] === there.found[at]).length;
    const { bytes } = await first.stats();
    await Promise.all([sqlite, ...stores].map((store) => store.close()));
    return {
      observations: count,
      teams,
      "SQLite ms": rounded(here.ms),
      "PostgreSQL ms": rounded(there.ms),
      "PostgreSQL ×": rounded(there.ms / here.ms),
      "same five %": Math.round((same * 100) / asked.length),
      "kept a second": Math.round((count * teams * 1_000) / filling),
      MB: Math.round(bytes / 1e6),
    };
  });
}

export const bench: Bench = {
  name: "postgres",
  measures: ["src/store", "src/search"],
  about: "A search of three words in PostgreSQL, in multiples of the same search in SQLite.",
  usage: "[observations] [teams] [queries]",
  async run(args) {
    const [most, teams, queries] = [numberAt(args, 0, 20_000), numberAt(args, 1, 5), numberAt(args, 2, 60)];
    const rows = await withServer(async (url) => [
      await measure(url, most, 1, queries),
      ...(teams > 1 ? [await measure(url, most, teams, queries)] : []),
    ]);
    return {
      findings: [{ title: "The same searches in both engines", rows }],
      bars: rows.map((row) => ({
        what: `search among ${row.observations.toLocaleString("en-US")} of ${row.teams} teams against SQLite`,
        value: row["PostgreSQL ×"],
        atMost: 2,
      })),
    };
  },
};
