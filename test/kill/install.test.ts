// A settings file whose installer is killed at any moment: the old file or the new one, and the way back stays open.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  bundles,
  carryOutUninstall,
  installedProgram,
  prepareInstall,
  prepareUninstall,
} from "../../src/install/index.ts";
import { killLoop } from "./killLoop.ts";
import { withFolder } from "./withFolder.ts";

const installer = fileURLToPath(new URL("./installer.ts", import.meta.url));
const original = '{\r\n\t"model": "x",\r\n\t"hooks": { "Stop": [] }\r\n}';

describe("a settings file whose installer is killed", () => {
  it("is the old one or the new one, and uninstalling gives the old one back", async () => {
    await withFolder(async (folder) => {
      const home = {
        config: path.join(folder, "config"),
        data: path.join(folder, "data"),
        state: path.join(folder, "state"),
      };
      const claude = { configFolder: path.join(folder, ".claude"), projectFolder: folder };
      const program = installedProgram(process.execPath, path.join(folder, "package"));
      const file = path.join(claude.configFolder, "settings.json");
      for (const bundle of bundles) {
        mkdirSync(path.dirname(program.bundleFile(bundle)), { recursive: true });
        writeFileSync(program.bundleFile(bundle), "");
      }
      mkdirSync(claude.configFolder);
      writeFileSync(file, original);
      const worker = { node: process.execPath, script: "worker.js" };
      const runtime = { version: "1.0.0", paused: false, excluded: [], worker };
      const request = { home, scope: "user", claude, program, runtime, env: {} } as const;
      const installed = prepareInstall(request).plan.after;
      await killLoop({
        entry: installer,
        args: () => [folder],
        kills: 6,
        writers: 1,
        seed: 20_260_803,
        onRound: () => {
          expect([original, installed]).toContain(readFileSync(file, "utf8"));
          carryOutUninstall(home, prepareUninstall({ home, claude, scopes: ["user"] }), new Date());
          expect(readFileSync(file, "utf8")).toBe(original);
          expect(readdirSync(claude.configFolder)).toEqual(["settings.json"]);
        },
      });
    });
  });
});
