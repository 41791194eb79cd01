// Runs one TypeScript file of the project: `node scripts/run.mjs bench/tokens.ts args…`. A file that exports a `bench`
// is run as one: measured, printed, and kept in bench/results with `--record`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error("usage: node scripts/run.mjs FILE.ts [args…]");
  process.exit(2);
}

/** What runs a bench by itself. */
const benchProgram = `import { bench } from "./${entry}";
import { runAlone } from "./bench/alone.ts";
process.exitCode = await runAlone(bench, process.argv.slice(2));`;

await setup({ build: false });
const { bundleOne } = await import("./build.mjs");
const outfile = path.join(root, "node_modules", ".throughline-run", `${path.basename(entry, ".ts")}.mjs`);
const isBench = /^export const bench\b/m.test(readFileSync(path.join(root, entry), "utf8"));
await bundleOne(isBench ? { program: benchProgram } : { entry }, outfile);
const result = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...args], { stdio: "inherit" });
process.exit(result.status ?? 1);
