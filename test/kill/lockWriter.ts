// A process that takes one lock over and over, and counts how often it was not the only holder.
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { systemErrorCode, withLock } from "../../src/lib/index.ts";

const [file = "", times = "0"] = process.argv.slice(2);
const held = `${file}.holder`;
let [lost, shared] = [0, 0];

for (let time = 0; time < Number(times); time++)
  await withLock(file, (isHeld) => {
    try {
      closeSync(openSync(held, "wx"));
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      shared += 1;
    }
    for (let look = 0; look < 5; look++) if (!isHeld()) lost += 1;
    rmSync(held, { force: true });
  });
writeSync(1, `${lost} ${shared}\n`);
