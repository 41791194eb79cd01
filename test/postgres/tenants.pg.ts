// Teams and persons are kept apart by the database itself: what a statement leaves out, the policies of the tables add.
import pg from "pg";
import { afterEach, describe, expect, inject, it } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/engine.ts";
import { tables } from "../../src/store/postgres/schema.ts";
import type { Store } from "../../src/store/store.ts";
import { termsOf } from "../../src/terms/index.ts";
import { addJobs, event, isoAfter, observation, prompt } from "../storeContract/setting.ts";

const opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

let schemas = 0;
const newSchema = (): string => `tenants_${schemas++}`;

async function open(schema: string, team: string, person: string): ReturnType<typeof openPostgresStore> {
  const store = await openPostgresStore({ url: inject("postgresUrl"), schema, team, person });
  opened.push(store);
  return store;
}

/** A row of every kind that a store keeps. */
async function fill(store: Store, mark: string): Promise<void> {
  await store.recordEvents([prompt(`p-${mark}`, 1, `the ${mark} prompt`), event(`t-${mark}`, 2)]);
  const files = { filesRead: [`src/${mark}.ts`], concepts: [mark] };
  await store.addObservations([observation(`ob-${mark}`, 3, { title: `the ${mark} title`, ...files })]);
  const place = { session: "s1", project: "app-00000001", at: isoAfter(4) };
  await store.addSummaries([{ ...place, uid: `su-${mark}`, promptNumber: 1, learned: `the ${mark} lesson` }]);
  await store.addMessages([{ ...place, uuid: `m-${mark}`, role: "user", text: `the ${mark} message` }]);
  await store.keepAccount(
    "s1",
    {
      ...{ requests: 1, inputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1, outputTokens: 1 },
      ...{ savedTokens: 1, savedDollars: 1, compactions: 0, results: 0, models: [mark] },
    },
    1,
  );
  await store.finishSource({ key: "k", state: mark });
  const model = { id: "tiny", dimensions: 1 };
  const [bare] = await store.barePassages(model, 1);
  const passage = bare?.id ?? 0;
  await store.addVectors({ model, until: passage, vectors: [{ passage, vector: Float32Array.of(1) }] });
  await store.forget({ session: `gone-${mark}` });
}

/** The rows of every table that a connection sees whose transaction says this of itself. */
async function visibleRows(schema: string, settings: Readonly<Record<string, string>>): Promise<number> {
  const client = new pg.Client(inject("postgresUrl"));
  await client.connect();
  try {
    await client.query(`BEGIN; SET LOCAL search_path TO ${schema}`);
    for (const [name, value] of Object.entries(settings))
      await client.query("SELECT set_config($1, $2, true)", [name, value]);
    let seen = 0;
    for (const table of [...Object.keys(tables), "counters", "persons"])
      seen += (await client.query(`SELECT * FROM ${table}`)).rows.length;
    return seen;
  } finally {
    await client.end();
  }
}

describe("another team, another person, and a transaction that names none", () => {
  it("see no row of any table, though the statement asks for all", async () => {
    const schema = newSchema();
    await fill(await open(schema, "herons", "ada"), "heron");
    const as = (team: string, person: string) =>
      visibleRows(schema, { "throughline.team": team, "throughline.person": person });
    expect(await as("herons", "ada")).toBeGreaterThan(40);
    expect(await visibleRows(schema, {})).toBe(0);
    expect(await as("", "")).toBe(0);
    expect(await as("egrets", "ada")).toBe(0);
    // The counters of the team are all that its other persons see.
    expect(await as("herons", "bob")).toBe(1);
  });

  it("cannot write, change or delete for others", async () => {
    const schema = newSchema();
    await fill(await open(schema, "herons", "ada"), "heron");
    const client = new pg.Client(inject("postgresUrl"));
    await client.connect();
    await client.query(`SET search_path TO ${schema}; SELECT set_config('throughline.team', 'egrets', false),
      set_config('throughline.person', 'eve', false)`);
    const written = client.query("INSERT INTO imported VALUES ('herons', 'ada', 'x', 'y')");
    await expect(written).rejects.toMatchObject({ code: "42501" });
    expect((await client.query("UPDATE observations SET title = 'x'")).rowCount).toBe(0);
    expect((await client.query("DELETE FROM events")).rowCount).toBe(0);
    await client.end();
    expect(
      await visibleRows(schema, { "throughline.team": "herons", "throughline.person": "ada" }),
    ).toBeGreaterThan(40);
  });

  it("have the same ids, words and sessions without meeting", async () => {
    const schema = newSchema();
    const people = ["herons/ada", "herons/bob", "egrets/ada"];
    const stores = await Promise.all(
      people.map((one) => open(schema, ...(one.split("/") as [string, string]))),
    );
    for (const store of stores) await fill(store, "same");
    for (const store of stores) {
      expect((await store.stats()).counts).toMatchObject({ events: 2, observations: 1, messages: 1 });
      const terms = [...termsOf("same").sequence];
      const found = await store.passages({ terms, mode: "any", limit: 20 });
      expect(found.map(({ entry }) => entry.kind).sort()).toEqual([
        "message",
        "observation",
        "prompt",
        "summary",
      ]);
      expect((await store.termStatistics(terms, {})).passages).toBe(4);
      expect([...(await store.vocabulary("same", 5)).values()]).toEqual([4]);
      expect(
        await store.nearest({ model: { id: "tiny", dimensions: 1 }, vector: Float32Array.of(1), limit: 9 }),
      ).toHaveLength(1);
    }
    await stores[0]?.forget({ project: "app-00000001" });
    expect((await stores[1]?.stats())?.counts.events).toBe(2);
    expect((await stores[2]?.stats())?.counts.events).toBe(2);
  });
});

describe("what a person shares", () => {
  const words = [...termsOf("heron").sequence];
  const model = { id: "tiny", dimensions: 1 };

  /** How many ways of looking show the observation to a store. */
  async function sights(store: Store): Promise<readonly boolean[]> {
    return [
      (await store.observations()).items.length > 0,
      (await store.passages({ terms: words, mode: "any", limit: 9, kinds: ["observation"] })).length > 0,
      (await store.termStatistics(words, { kinds: ["observation"] })).frequency.size > 0,
      (await store.entries({ kinds: ["observation"] }, 9)).length > 0,
      (await store.chronicle({ file: "heron.ts" })).items.length > 0,
      (await store.feedSince(0, 99)).some(({ kind }) => kind === "observation"),
      (await store.vocabulary("heron", 9)).size > 0,
    ];
  }
  const all = Array.from({ length: 7 }, () => true);
  const none = all.map(() => false);

  it("is seen by its team, or by the readers of its project, and by no other person, until it is taken back", async () => {
    const schema = newSchema();
    const ada = await open(schema, "herons", "ada");
    const bob = await open(schema, "herons", "bob");
    const eve = await open(schema, "egrets", "eve");
    const carl = await openPostgresStore({
      ...{ url: inject("postgresUrl"), schema, team: "herons", person: "carl" },
      projects: ["other-1", "app-00000001"],
    });
    opened.push(carl);
    await fill(ada, "heron");
    const seen = async () => [await sights(bob), await sights(carl), await sights(eve)];
    expect(await seen()).toEqual([none, none, none]);
    expect(await bob.share("observation", ["ob-heron"], "team")).toBe(0);
    expect(await ada.share("observation", ["ob-heron", "ob-none"], "project")).toBe(1);
    expect(await seen()).toEqual([none, all, none]);
    expect(await ada.share("observation", ["ob-heron"], "team")).toBe(1);
    expect(await seen()).toEqual([all, all, none]);
    expect((await bob.stats()).counts.observations).toBe(0);
    expect(await sights(ada)).toEqual(all);
    await bob.forget({ project: "app-00000001" });
    expect(await seen()).toEqual([all, all, none]);
    expect(await ada.share("observation", ["ob-heron"], "private")).toBe(1);
    expect(await seen()).toEqual([none, none, none]);
    expect(await sights(ada)).toEqual(all);
    expect(await ada.integrityCheck()).toEqual({ ok: true, problems: [] });
  });

  it("goes with its row, and keeps its readers when it is worded anew", async () => {
    const schema = newSchema();
    const ada = await open(schema, "herons", "ada");
    const bob = await open(schema, "herons", "bob");
    await fill(ada, "heron");
    await ada.share("observation", ["ob-heron"], "team");
    const text = {
      uid: "ob-heron",
      type: "bugfix",
      title: "a heron again",
      filesRead: ["src/heron.ts"],
    } as const;
    await ada.completeJobs({ ids: [], worker: "w", revisions: { observations: [text] } });
    expect((await bob.observations()).items.map(({ title }) => title)).toEqual(["a heron again"]);
    expect(await sights(bob)).toEqual(all);
    expect(await bob.nearest({ model, vector: Float32Array.of(1), limit: 9 })).toEqual([]);
    await ada.forget({ session: "s1" });
    expect(await sights(bob)).toEqual(none);
  });
});

describe("a server", () => {
  it("is refused with a role that its policies do not bind", async () => {
    const url = inject("postgresUrl").replace("throughline@", "postgres@");
    const opening = openPostgresStore({ url, schema: newSchema(), team: "herons", person: "ada" });
    await expect(opening).rejects.toMatchObject({
      code: "permission-denied",
      fix: expect.stringContaining("NOBYPASSRLS"),
    });
  });

  it("is refused when a newer version changed its tables, and says when it cannot be reached", async () => {
    const schema = newSchema();
    await open(schema, "herons", "ada");
    const client = new pg.Client(inject("postgresUrl"));
    await client.connect();
    await client.query(`INSERT INTO ${schema}.migrations VALUES ('2099-01-more', 'later')`);
    await client.end();
    await expect(open(schema, "herons", "ada")).rejects.toMatchObject({ code: "database-newer" });
    const away = openPostgresStore({ url: "postgres://throughline@127.0.0.1:1/x", team: "t", person: "p" });
    await expect(away).rejects.toMatchObject({
      code: "database-failed",
      message: expect.stringContaining("cannot be reached"),
    });
  });

  it("is set up once when several begin at the same time", async () => {
    const schema = newSchema();
    const stores = await Promise.all(["a", "b", "c", "d"].map((person) => open(schema, "herons", person)));
    for (const store of stores) expect((await store.stats()).counts.events).toBe(0);
  });

  it("gives each job to one of eight workers, and every row a number of its own", async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(schema, "herons", "ada")));
    await Promise.all(
      stores.map((store, at) =>
        store.addObservations(
          Array.from({ length: 50 }, (_, index) => observation(`ob-${at}-${index}`, index)),
        ),
      ),
    );
    const [first] = stores;
    if (first === undefined) throw new Error("no store");
    const ids = (await first.observations({ limit: 500 })).items.map(({ id }) => id);
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect((await first.feedSince(0, 500)).map(({ cursor }) => cursor)).toEqual(
      Array.from({ length: 200 }, (_, at) => at + 1),
    );
    await addJobs(
      first,
      Array.from({ length: 120 }, (_, index) => ({ kind: "k", key: `${index}` })),
    );
    const taken = await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        const own: number[] = [];
        const request = {
          kinds: ["k"],
          worker: `w${worker}`,
          now: 1,
          leaseMs: 1_000,
          maxAttempts: 8,
          limit: 5,
        };
        for (;;) {
          const jobs = (await stores[worker % 4]?.leaseJobs(request)) ?? [];
          if (jobs.length === 0) return own;
          own.push(...jobs.map(({ id }) => id));
        }
      }),
    );
    expect(taken.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
  });
});
