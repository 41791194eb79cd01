// What a search costs in PostgreSQL against SQLite over the same observations, alone in the tables and among other teams, and whether both find the same.
import path from "node:path";
import pg from "pg";
import { pino } from "pino";
import { makeClient } from "../src/remote/index.ts";
import { search } from "../src/search/index.ts";
import { openTeamDatabase, startServer } from "../src/server/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { openPostgresStore } from "../src/store/postgres/engine.ts";
import { startPostgres } from "../test/postgres/server.ts";
import type { Bench, Finding, Outcome } from "./bench.ts";
import { inFolder, median, numberAt, quantile, rounded, timed } from "./measure.ts";
import { ask } from "./retrieval/ask.ts";
import { meanOf, measures } from "./retrieval/measures.ts";
import { fillSet, openSet, type QuerySet } from "./retrieval/sets.ts";
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
  return { ms: median(times), p95: quantile(times, 0.95), found };
}

const AT_ONCE = 8;

/** Searches a second while so many are under way. */
async function searchesASecond(store: Store, queries: readonly string[]) {
  const left = [...queries];
  const work = async () => {
    for (let query = left.pop(); query !== undefined; query = left.pop())
      await search({ store }, { query, projects: ["probe"] });
  };
  const ms = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, work)));
  return (queries.length * 1_000) / ms;
}

interface Place {
  /** For the role of the store, and for the administrator. */
  readonly url: string;
  readonly admin: pg.Client;
}

async function withServer<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const server = await startPostgres(process.env.THROUGHLINE_PG_BIN);
  if ("reason" in server) throw new Error(server.reason);
  try {
    const first = new pg.Client(server.url);
    await first.connect();
    await first.query("CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS");
    await first.query("CREATE DATABASE throughline OWNER throughline");
    await first.end();
    const url = `postgres://throughline@${new URL(server.url).host}/throughline`;
    const admin = new pg.Client(url.replace("throughline@", "postgres@"));
    await admin.connect();
    try {
      return await use({ url, admin });
    } finally {
      await admin.end();
    }
  } finally {
    server.stop();
  }
}

/** Gives other teams the same rows: they are as large, and no search is theirs. */
async function copyTeam(admin: pg.Client, schema: string, teams: number) {
  const { rows } = await admin.query<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
         FILTER (WHERE column_name <> 'team_id') AS columns
       FROM information_schema.columns WHERE table_schema = $1
       GROUP BY table_name HAVING bool_or(column_name = 'team_id')`,
    [schema],
  );
  for (const { name, columns } of rows) {
    await admin.query(
      `INSERT INTO ${schema}.${name} (team_id, ${columns})
         SELECT 'team-' || n, ${columns} FROM ${schema}.${name}, generate_series(1, ${teams - 1}) AS n
         WHERE team_id = 'team-0'`,
    );
  }
  await admin.query("VACUUM ANALYZE");
}

/** Bytes of each table with its indexes, for one observation. */
async function sizes(admin: pg.Client, schema: string, observations: number): Promise<Finding> {
  const { rows } = await admin.query<{ name: string; heap: string; indexes: string; rows: string }>(
    `SELECT relname AS name, pg_table_size(oid) AS heap, pg_indexes_size(oid) AS indexes, reltuples AS rows
       FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' ORDER BY pg_total_relation_size(oid) DESC`,
    [schema],
  );
  const large = rows.filter(({ heap }) => Number(heap) > observations);
  return {
    title: "Bytes of each table for one observation",
    rows: large.map(({ name, heap, indexes, rows: amount }) => ({
      table: name,
      rows: rounded(Number(amount) / observations),
      "bytes of rows": Math.round(Number(heap) / observations),
      "bytes of indexes": Math.round(Number(indexes) / observations),
    })),
  };
}

async function measure({ url, admin }: Place, count: number, teams: number, queries: number) {
  return inFolder("postgres", async (folder) => {
    const sqlite = await openStore({ file: path.join(folder, "throughline.db") });
    const texts = await fill(sqlite, count);
    const schema = "bench";
    const store = await openPostgresStore({ url, schema, team: "team-0", person: "ada" });
    const filling = await timed(() => fill(store, count));
    await admin.query("VACUUM ANALYZE");
    const asked = queriesOf(texts, queries);
    const here = await searched(sqlite, asked);
    const there = await searched(store, asked);
    const same = asked.filter((_, at) => here.found[at] === there.found[at]).length;
    const sizesAlone = await sizes(admin, schema, count);
    const rowOf = async (amount: number, { ms, p95 }: { ms: number; p95: number }) => ({
      observations: count * amount,
      teams: amount,
      ms: rounded(ms),
      "p95 ms": rounded(p95),
      "× SQLite": rounded(ms / here.ms),
      "× alone": rounded(ms / there.ms),
      [`a second, ${AT_ONCE} at once`]: Math.round(await searchesASecond(store, asked)),
      MB: Math.round((await store.stats()).bytes / 1e6),
    });
    const rows = [await rowOf(1, there)];
    if (teams > 1) {
      await copyTeam(admin, schema, teams);
      await searched(store, asked.slice(0, 5));
      rows.push(await rowOf(teams, await searched(store, asked)));
    }
    await Promise.all([sqlite.close(), store.close()]);
    const facts = [
      `SQLite ${rounded(here.ms)} ms, p95 ${rounded(here.p95)} ms; the same best five for ${Math.round((same * 100) / asked.length)} % of the questions.`,
      `${Math.round((count * 1_000) / filling)} observations a second were kept by one writer.`,
    ];
    return { rows, notes: facts, sizesAlone };
  });
}

const PULLS = 400;
const EVENTS = 4_000;
const EVENTS_OF_A_PUSH = 100;

/** An event with a payload of 1,500 bytes, as a call of a tool has. */
const change = (at: number) => ({
  kind: "event",
  row: {
    ...{ v: 1, id: `ev_${at}`, kind: "tool", at: new Date(1_790_000_000_000 + at * 1_000).toISOString() },
    ...{ session: `session-${at % 40}`, project: "probe", lane: "hooks", writer: "bench" },
    payload: {
      tool_name: "Bash",
      tool_use_id: `toolu_${at}`,
      output: `${at} passed. `.repeat(130).slice(0, 1_400),
    },
  },
});

/** What one process of the server does over HTTP: answers that there is nothing new, and takes events. */
async function served({ url, admin }: Place): Promise<Finding> {
  const schema = "served";
  const options = { host: "127.0.0.1", port: 0, isBehindProxy: false, log: pino({ level: "silent" }) };
  const server = await startServer({ url, schema, ...options, requestsPerMinute: 1_000_000 });
  const database = await openTeamDatabase({ url, schema });
  try {
    await database.access.addPerson("team", "ada", []);
    const expiresAt = Date.now() + 3_600_000;
    const owner = { team: "team", person: "ada", scopes: ["read", "write"], note: "", expiresAt };
    const { secret } = await database.access.addKey(owner);
    const client = makeClient({ url: server.address, key: secret });
    const taking = await timed(async () => {
      for (let at = 0; at < EVENTS; at += EVENTS_OF_A_PUSH) {
        const changes = Array.from({ length: EVENTS_OF_A_PUSH }, (_, index) => change(at + index));
        await client.push(JSON.stringify({ machine: "bench-machine", changes }));
      }
    });
    const { head } = await client.pull("other-machine", 0, 1);
    let left = PULLS;
    const pulling = await timed(() =>
      Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (left-- > 0) await client.pull("other-machine", head, 200);
        }),
      ),
    );
    await admin.query("VACUUM ANALYZE");
    const size =
      "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'";
    const { rows } = await admin.query<{ bytes: string }>(size, [schema]);
    return {
      title: "One process of the server, over HTTP",
      rows: [
        {
          [`pulls without news a second, ${AT_ONCE} at once`]: Math.round((PULLS * 1_000) / pulling),
          "events taken a second": Math.round((EVENTS * 1_000) / taking),
          "bytes of an event": Math.round(Number(rows[0]?.bytes ?? 0) / EVENTS),
        },
      ],
    };
  } finally {
    await database.close();
    await server.close();
  }
}

async function speed(place: Place, args: readonly string[]): Promise<Outcome> {
  const [count, teams, queries] = [numberAt(args, 0, 20_000), numberAt(args, 1, 5), numberAt(args, 2, 60)];
  const { rows, notes, sizesAlone } = await measure(place, count, teams, queries);
  const name = (row: (typeof rows)[number]) =>
    `among ${row.observations.toLocaleString("en-US")} of ${row.teams} teams`;
  return {
    findings: [{ title: "The same searches in PostgreSQL", rows, notes }, sizesAlone, await served(place)],
    bars: rows.flatMap((row) =>
      row.teams === 1
        ? [{ what: `search ${name(row)}, × SQLite`, value: row["× SQLite"], atMost: 2 }]
        : [{ what: `search ${name(row)}, × alone`, value: row["× alone"], atMost: 2 }],
    ),
  };
}

async function quality(set: QuerySet) {
  const { answered } = await ask(set, {});
  return meanOf(answered.flatMap(({ scores: { row, session } }) => row ?? session ?? []));
}

/** How well both engines find what answers a question, set by set. */
async function found({ url }: Place, files: readonly string[]): Promise<Outcome> {
  return inFolder("postgres", async (folder) => {
    const rows: Record<string, string | number>[] = [];
    let most = 0;
    for (const [at, file] of files.entries()) {
      const sqlite = await openSet(file, folder);
      const here = await quality(sqlite);
      await sqlite.store.close();
      const store = await openPostgresStore({ url, schema: `set_${at}`, team: "team", person: "ada" });
      const there = await quality(await fillSet(file, store));
      await store.close();
      most = Math.max(most, ...measures.map((name) => Math.abs(there[name] - here[name])));
      rows.push(
        { set: sqlite.name, in: "SQLite", ...here },
        { set: sqlite.name, in: "PostgreSQL", ...there },
      );
    }
    return {
      findings: [{ title: "How well both engines find what answers a question", rows }],
      bars: [{ what: "points between the engines, at most", value: rounded(most, 1), atMost: 1 }],
    };
  });
}

export const bench: Bench = {
  name: "postgres",
  measures: ["src/store", "src/search", "src/server"],
  about: "A search of three words in PostgreSQL, in multiples of the same search in SQLite.",
  usage: "[observations] [teams] [queries] | FILE.jsonl…",
  run(args) {
    const files = args.filter((arg) => arg.endsWith(".jsonl"));
    return withServer((place) => (files.length > 0 ? found(place, files) : speed(place, args)));
  },
};
