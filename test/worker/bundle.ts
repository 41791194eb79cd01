// Programs of the worker for tests: the built one, and bundles of any version, beside the packages that they load.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
/** Below the packages, so that what is left outside a bundle is found from it. */
const shelf = path.join(root, "node_modules", ".throughline-test");

/** Builds a program into a folder that is gone when the file's tests are done. */
export async function bundle(entry: string, version = "1.0.0"): Promise<string> {
  mkdirSync(shelf, { recursive: true });
  const folder = mkdtempSync(path.join(shelf, "worker-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  await build({
    absWorkingDir: root,
    entryPoints: { program: entry },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
    define: { __THROUGHLINE_VERSION__: JSON.stringify(version) },
  });
  return path.join(folder, "program.mjs");
}

/** As users have it. */
export const builtWorker = path.join(root, "dist", "worker.js");

export const workerEntry = "src/worker/main.ts";
export const spoolerEntry = "test/worker/spooler.ts";
