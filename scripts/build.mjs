// Bundles the doors and libraries with esbuild and writes their type declarations with tsc.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./root.mjs";

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  logLevel: "warning",
  define: {
    __THROUGHLINE_VERSION__: JSON.stringify(
      JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version,
    ),
  },
};

export async function buildAll() {
  rmSync(path.join(root, "dist"), { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: {
      cli: "src/cli/main.ts",
      index: "src/index.ts",
      pipeline: "src/pipeline/index.ts",
      sdk: "src/sdk/index.ts",
    },
    outdir: "dist",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
  });
  chmodSync(path.join(root, "dist", "cli.js"), 0o755);
  const types = spawnSync(
    process.execPath,
    [path.join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.types.json"],
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  if (types.status !== 0) process.exit(types.status ?? 1);
}

/** Bundles one TypeScript file (a bench, a script) into a file that Node can run. */
export async function bundleOne(entry, outfile) {
  await build({ ...common, entryPoints: [entry], outfile });
}
