// A process that makes or restores a backup set and dies at a chosen operation on the disk.
import { writeSync } from "node:fs";
import { strikeAt } from "../kill/strike.ts";
import { backUp, restore } from "./backupHome.ts";

const [root = "", what = "", point = ""] = process.argv.slice(2);
const strike = await strikeAt(point === "never" ? Number.POSITIVE_INFINITY : Number(point));
strike.arm(true);
await (what === "backup" ? backUp(root) : restore(root));
strike.arm(false);
writeSync(1, `${strike.count()}\n`);
