// Programs for tests: the built worker, copies of it that say another version, and bundles beside the packages that they load.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
/** Below the packages, so that what is left outside a bundle is found from it. */
const shelf = path.join(root, "node_modules", ".throughline-test");

/** A folder that is gone when the file's tests are done. */
function programFolder() {
  mkdirSync(shelf, { recursive: true });
  const folder = mkdtempSync(path.join(shelf, "worker-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Builds a program into a folder of its own. */
export async function bundle(entry: string): Promise<string> {
  const folder = programFolder();
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
    define: { __THROUGHLINE_VERSION__: '"1.0.0"' },
  });
  return path.join(folder, "program.mjs");
}

/** As users have it. */
export const builtWorker = path.join(root, "dist", "worker.js");

/** A copy of the built worker that says this version; without a page beside it. */
export function workerOfVersion(version: string): string {
  const folder = programFolder();
  const chunks = path.join(folder, "chunks", "worker");
  cpSync(builtWorker, path.join(folder, "worker.js"));
  cpSync(path.join(root, "dist", "chunks", "worker"), chunks, { recursive: true });
  const changed = readdirSync(chunks).filter((name) => {
    const file = path.join(chunks, name);
    const text = readFileSync(file, "utf8");
    const other = text.replace(/(\bownVersion = true \? )"[^"]*"/, `$1"${version}"`);
    if (other !== text) writeFileSync(file, other);
    return other !== text;
  });
  if (changed.length !== 1) throw new Error("the built worker does not say its version where it did");
  return path.join(folder, "worker.js");
}

export const spoolerEntry = "test/worker/spooler.ts";
