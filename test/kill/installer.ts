// A process that installs into a settings file and uninstalls again, over and over, until it is killed.
import { writeSync } from "node:fs";
import path from "node:path";
import {
  carryOutInstall,
  carryOutUninstall,
  installedProgram,
  prepareInstall,
  prepareUninstall,
} from "../../src/install/index.ts";

const [folder = ""] = process.argv.slice(2);
const home = {
  config: path.join(folder, "config"),
  data: path.join(folder, "data"),
  state: path.join(folder, "state"),
};
const claude = { configFolder: path.join(folder, ".claude"), projectFolder: folder };
const program = installedProgram(process.execPath, path.join(folder, "package"));
const worker = { node: process.execPath, script: "worker.js" };

for (let round = 0; ; round++) {
  const runtime = { version: "1.0.0", paused: false, excluded: [], worker };
  carryOutInstall(prepareInstall({ home, scope: "user", claude, program, runtime, env: {} }), new Date());
  writeSync(1, `installed ${round}\n`);
  carryOutUninstall(home, prepareUninstall({ home, claude, scopes: ["user"] }), new Date());
  writeSync(1, `uninstalled ${round}\n`);
}
