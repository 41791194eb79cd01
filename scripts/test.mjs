// `npm test`: set-up, types, lint, then the unit suite. `--e2e`, `--pg`, `--agents` and `--soak` choose the other suites.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { root } from "./root.mjs";
import { setup } from "./setup.mjs";

const args = process.argv.slice(2);
const suites = ["e2e", "pg", "agents", "soak"];
const suite = suites.find((name) => args.includes(`--${name}`)) ?? "unit";
const rest = args.filter((arg) => arg !== `--${suite}`);

await setup();

function step(script, scriptArgs, env = {}) {
  const result = spawnSync(process.execPath, [path.join(root, "node_modules", script), ...scriptArgs], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

if (suite === "unit" && rest.length === 0) {
  step("typescript/bin/tsc", ["--noEmit"]);
  step("typescript/bin/tsc", ["--noEmit", "-p", "viewer"]);
  step("@biomejs/biome/bin/biome", ["check", "."]);
}
step("vitest/vitest.mjs", ["run", "--passWithNoTests", ...rest], { THROUGHLINE_SUITE: suite });
