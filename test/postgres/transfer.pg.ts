// A store goes to the server and back: all of it or nothing, and the same in both.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { exportStore, importStore } from "../../src/server/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { event, isoAfter, observation, prompt } from "../storeContract/setting.ts";
import { startTestServer, type TestServer } from "./teamServer.ts";

let server: TestServer;
let folder: string;
let source: Store;
const ada = { team: "herons", person: "ada" };
const birds = ["heron", "egret", "bittern", "stork", "spoonbill", "cormorant", "gannet", "petrel", "curlew"];
const bird = (at: number): string => birds[(at * 7 + Math.floor(at / 5)) % birds.length] ?? "";

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-transfer-"));
  server = await startTestServer();
  source = await openStore({ file: path.join(folder, "source.db") });
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  await source.recordEvents(
    numbers.map((at) =>
      at % 5 === 0 ? prompt(`p${at}`, at, `where does the ${bird(at)} nest`) : event(`t${at}`, at),
    ),
  );
  await source.addObservations(
    numbers.map((at) =>
      observation(`ob-${at}`, at, {
        title: `the ${bird(at)} and the ${bird(at + 3)}`,
        narrative: `seen near the ${bird(at + 1)} in place ${at}`,
      }),
    ),
  );
  await source.addMessages(
    numbers.map((at) => ({
      ...{ session: "s1", uuid: `m${at}`, role: "user", project: "app-00000001" },
      ...{ text: `what does the ${bird(at)} eat in winter`, at: isoAfter(at) },
    })),
  );
});
afterEach(async () => {
  await source.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const counts = async () => (await server.database.store(ada).stats()).counts;

it("is the same on the server and in the file that comes back, by counts, hashes and searches", async () => {
  const { queue: _, ...held } = { queue: 0, ...(await source.stats()).counts };
  const shown: number[] = [];
  const there = await importStore(server.database, ada, source, (rows) => shown.push(rows));
  expect(there).toMatchObject({ searches: 200 });
  expect(shown.at(-1)).toBe(there.rows);
  expect(await counts()).toEqual({ ...held, jobs: 0 });
  const file = path.join(folder, "back.jsonl");
  expect(await exportStore(server.database.store(ada), file, () => undefined)).toEqual(there);
  expect(existsSync(file)).toBe(true);
  const again = importStore(server.database, ada, source, () => undefined);
  await expect(again).rejects.toMatchObject({ code: "usage" });
  expect(await counts()).toEqual({ ...held, jobs: 0 });
});

it("leaves nothing on the server where a row differs or the copy is broken off", async () => {
  const broken: Record<string, Partial<Store>> = {
    "a row that comes twice": {
      async *exportLines() {
        for await (const line of source.exportLines()) {
          yield line;
          if (line.includes('"ob-7"')) yield line;
        }
      },
    },
    "a connection that ends": {
      async *exportLines() {
        yield* source.exportLines();
        throw new Error("cut");
      },
    },
  };
  for (const [what, parts] of Object.entries(broken)) {
    const given = { ...source, ...parts };
    await expect(
      importStore(server.database, ada, given, () => undefined),
      what,
    ).rejects.toThrow();
    expect(Object.values(await counts()), what).toEqual([0, 0, 0, 0, 0, 0, 0]);
  }
});
