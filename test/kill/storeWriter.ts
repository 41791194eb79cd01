// A process that records batches of events until it is killed, and says so after each.
import { writeSync } from "node:fs";
import { openStore } from "../../src/store/index.ts";
import { storeBatch } from "./storeEvents.ts";

const [file = "", writer = "", count = "Infinity"] = process.argv.slice(2);
const store = await openStore({ file });

for (let batch = 0; batch < Number(count); batch++) {
  await store.recordEvents(storeBatch(writer, batch));
  writeSync(1, `${batch}\n`);
}
await store.close();
