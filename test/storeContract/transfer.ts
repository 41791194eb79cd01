// The contract of export and import: everything out, everything in, and nothing twice.
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import type { Counts } from "../../src/store/upkeep.ts";
import { event, importSession, isoAfter, observation, prompt, type StoreFactory } from "./setting.ts";

export function transferContract(factory: StoreFactory): void {
  describe("export and import", () => {
    wholeTransfers(factory);
    partTransfers(factory);
    damagedImports(factory);
  });
}

async function linesOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function* stream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function fill(store: Store): Promise<Counts> {
  await importSession(store, "s1", "m1");
  const long = Array.from({ length: 1_200 }, (_, index) => event(`t${index}`, index));
  await store.recordEvents([prompt("p", 0, "项目: go"), ...long, event("z", 2_000, { kind: "session-end" })]);
  await store.recordEvents([
    prompt("q", 5, "other", { session: "s2", project: "other-00000002", agent: "a1" }),
  ]);
  await store.addObservations([observation("ob", 7, { facts: ["f"], subtitle: "s" })]);
  await store.addSummaries([
    { uid: "su", session: "s2", project: "other-00000002", promptNumber: 1, at: isoAfter(8), notes: "n" },
  ]);
  await store.addMessages([
    { session: "s1", uuid: "u", role: "user", text: "hello", at: isoAfter(9), project: "app-00000001" },
  ]);
  return (await store.stats()).counts;
}

/** What a person could see, without the numbers that belong to one database. */
async function seen(store: Store): Promise<unknown> {
  const rows = [
    ...(await store.sessions()).items,
    ...(await store.events({ limit: 500 })).items,
    ...(await store.prompts()).items,
    ...(await store.observations()).items,
    ...(await store.summaries()).items,
    ...(await store.messages()).items,
  ];
  return rows.map((row) => ({ ...row, id: typeof row.id === "number" ? 0 : row.id, sdkSessionId: "" }));
}

function wholeTransfers(factory: StoreFactory): void {
  it(
    "carry everything into another store, and change nothing when they are repeated",
    factory(async ({ store, another }) => {
      const counts = await fill(store);
      const lines = await linesOf(store.exportLines());
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ throughline: "export", version: 1 });
      const copy = await another();
      const report = await copy.importLines(stream(lines));
      expect(report).toMatchObject({ added: counts, rejectedCount: 0, complete: true });
      expect(await seen(copy)).toEqual(await seen(store));
      expect(await copy.session("s1")).toMatchObject({
        sdkSessionId: "m1",
        status: "completed",
        promptCounter: 1,
      });
      const again = await copy.importLines(stream(lines));
      expect(again).toMatchObject({ known: counts, rejectedCount: 0 });
      expect((await copy.stats()).counts).toEqual(counts);
      const second = await linesOf(copy.exportLines());
      expect(second.slice(1).sort()).toEqual(lines.slice(1).sort());
      await copy.close();
    }),
  );

  it(
    "do not bring back work that is done, nor what was forgotten",
    factory(async ({ store, clock }) => {
      await store.recordEvents([event("a", 1), event("b", 2, { session: "s2" })]);
      const lines = await linesOf(store.exportLines());
      const jobs = await store.leaseJobs({
        kinds: ["observe"],
        worker: "w",
        now: clock.time + 100_000,
        leaseMs: 1,
        maxAttempts: 8,
        limit: 9,
      });
      await store.completeJobs({ ids: jobs.map(({ id }) => id), worker: "w" });
      await store.forget({ session: "s2" });
      await store.importLines(stream(lines));
      expect((await store.stats()).counts).toMatchObject({ sessions: 1, events: 1, jobs: 0 });
    }),
  );
}

function partTransfers(factory: StoreFactory): void {
  it(
    "can be of one project alone, and can be left half-way",
    factory(async ({ store, another }) => {
      await fill(store);
      const copy = await another();
      const report = await copy.importLines(store.exportLines({ project: "other-00000002" }));
      expect(report.added).toMatchObject({
        sessions: 1,
        events: 1,
        prompts: 1,
        summaries: 1,
        observations: 0,
      });
      await copy.close();
      let lines = 0;
      for await (const _line of store.exportLines()) if (++lines > 5) break;
      expect((await store.recordEvents([event("still writing", 1)])).added).toHaveLength(1);
      expect((await store.forget({ session: "s1" })).deleted.sessions).toBe(1);
    }),
  );

  it(
    "run every text through the scan they are given, and leave ids alone",
    factory(async ({ store, another }) => {
      await store.recordEvents([prompt("secret", 1, "the secret is secret")]);
      const copy = await another();
      const redact = (value: object) =>
        JSON.parse(JSON.stringify(value).replaceAll("secret", "[redacted: test]"));
      await copy.importLines(store.exportLines(), { redact });
      const [kept] = (await copy.prompts()).items;
      expect(kept).toMatchObject({
        uid: "ev_secret",
        promptText: "the [redacted: test] is [redacted: test]",
      });
      await copy.close();
    }),
  );
}

function damagedImports(factory: StoreFactory): void {
  it(
    "take the good lines of a damaged file and name the others",
    factory(async ({ store, another }) => {
      await fill(store);
      const lines = await linesOf(store.exportLines());
      const copy = await another();
      const damaged = [
        ...lines.slice(0, 4),
        "",
        "{torn",
        '{"type":"gossip"}',
        '{"type":"event","id":7}',
        ...lines.slice(4, 10),
      ];
      const report = await copy.importLines(stream(damaged));
      expect(report).toMatchObject({ rejectedCount: 3, complete: false });
      expect(report.rejected.map(({ line }) => line)).toEqual([6, 7, 8]);
      expect((await copy.stats()).counts).toMatchObject({ sessions: 2, events: 7 });
      await copy.close();
    }),
  );

  it(
    "refuse what is no export, or one of a later version",
    factory(async ({ store }) => {
      for (const lines of [[], ["hello"], ['{"type":"event"}'], ['{"throughline":"export","version":2}']])
        await expect(store.importLines(stream(lines))).rejects.toMatchObject({ code: "usage" });
    }),
  );
}
