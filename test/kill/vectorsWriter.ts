// Makes vectors of everything that waits, batch by batch, and says after each how far they reach; adds more when done.
import { writeSync } from "node:fs";
import type { Embedder } from "../../src/embed/index.ts";
import { embedNext } from "../../src/search/index.ts";
import { openStore } from "../../src/store/index.ts";
import { vectorState } from "./vectorState.ts";

const [file = "", round = "0"] = process.argv.slice(2);

const embedder: Embedder = {
  id: "killed",
  dimensions: 4,
  languages: "en",
  batch: 3,
  embed: async (texts) => texts.map((text) => Float32Array.from([text.length, 1, 2, 3])),
  close: async () => undefined,
};

const store = await openStore({ file });
for (let at = 0; ; at += 1) {
  await store.addMessages(
    Array.from({ length: 10 }, (_, n) => ({
      session: "s",
      uuid: `${round}-${at}-${n}`,
      role: "user",
      text: `this is what was said about it the ${n}th time in ${round}`,
      at: new Date(Date.UTC(2026, 2, 2) + at * 1_000 + n).toISOString(),
      project: "app",
    })),
  );
  while ((await embedNext(store, embedder)) > 0) {
    writeSync(1, `${JSON.stringify(await vectorState(store))}\n`);
  }
}
