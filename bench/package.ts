// What an install from the packed tarball puts on the disk, with and without optional packages, and what loading
// `throughline/pipeline` and `throughline/sdk` costs over starting Node.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Bench } from "./bench.ts";
import { inFolder, median, rounded } from "./measure.ts";

const RUNS = 15;
const MEGABYTE = 1024 * 1024;
const bars = { plainMB: 70, lightMB: 15, lightPackages: 12, importMs: 40 };

function npm(folder: string, ...args: string[]): string {
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
  return execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

/** The packages that npm lists in the lockfile of the folder. */
function packagesIn(folder: string): number {
  const listed = npm(folder, "ls", "--all", "--parseable");
  return listed.split("\n").filter((line) => line.includes("node_modules")).length;
}

function install(folder: string, tarball: string, ...options: string[]) {
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  npm(folder, "install", "--no-audit", "--no-fund", ...options, tarball);
  return {
    packages: packagesIn(folder),
    MB: rounded(bytesIn(path.join(folder, "node_modules")) / MEGABYTE, 1),
  };
}

/** User and system time of one start of Node, in milliseconds. */
function startCost(folder: string, program: string): number {
  const report = `${program};const { user, system } = process.cpuUsage();console.log((user + system) / 1_000)`;
  return Number(
    execFileSync(process.execPath, ["--input-type=module", "-e", report], { cwd: folder, encoding: "utf8" }),
  );
}

export const bench: Bench = {
  name: "package",
  measures: ["src"],
  about:
    "What the packed tarball installs, with and without optional packages, and what loading throughline/pipeline costs.",
  run: () =>
    inFolder("package", async (folder) => {
      npm(path.resolve("."), "pack", "--ignore-scripts", "--pack-destination", folder);
      const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
      const file = path.join(folder, tarball);
      const plain = install(path.join(folder, "plain"), file);
      const light = install(path.join(folder, "light"), file, "--omit=optional");
      const costs = Array.from({ length: RUNS }, () => ({
        bare: startCost(path.join(folder, "light"), ""),
        loaded: startCost(path.join(folder, "light"), 'await import("throughline/pipeline")'),
        sdk: startCost(path.join(folder, "light"), 'await import("throughline/sdk")'),
      }));
      const bare = median(costs.map((cost) => cost.bare));
      const loaded = median(costs.map((cost) => cost.loaded));
      const sdk = median(costs.map((cost) => cost.sdk));
      return {
        findings: [
          {
            title: "Installed",
            rows: [
              { install: "npm install throughline", ...plain },
              { install: "npm install throughline --omit=optional", ...light },
            ],
          },
          {
            title: "CPU of one start",
            rows: [
              { program: "node", ms: rounded(bare, 1) },
              { program: 'import "throughline/pipeline"', ms: rounded(loaded, 1) },
              { program: 'import "throughline/sdk"', ms: rounded(sdk, 1) },
            ],
          },
        ],
        bars: [
          { what: "MB, complete", value: plain.MB, atMost: bars.plainMB },
          { what: "MB without optional packages", value: light.MB, atMost: bars.lightMB },
          { what: "packages without optional ones", value: light.packages, atMost: bars.lightPackages },
          { what: "ms CPU over bare Node", value: loaded - bare, atMost: bars.importMs },
        ],
      };
    }),
};
