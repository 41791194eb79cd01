// Runs one TypeScript file of the project: `node scripts/run.mjs bench/tokens.ts args…`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error("usage: node scripts/run.mjs FILE.ts [args…]");
  process.exit(2);
}
await setup({ build: false });
const { bundleOne } = await import("./build.mjs");
const outfile = path.join(root, "node_modules", ".throughline-run", `${path.basename(entry, ".ts")}.mjs`);
await bundleOne(entry, outfile);
const result = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...args], { stdio: "inherit" });
process.exit(result.status ?? 1);
