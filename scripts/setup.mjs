// Makes a clone runnable: installs packages when the lockfile changed, builds when a source changed.
// Every npm script that needs either goes through here, so a fresh clone needs no command before it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./root.mjs";

const stampFile = path.join(root, "node_modules", ".throughline-setup.json");

function run(command, args) {
  const windows = process.platform === "win32";
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: windows,
  });
  if (result.status !== 0) {
    console.error(`throughline: \`${command} ${args.join(" ")}\` failed; fix what it printed and run again.`);
    process.exit(result.status ?? 1);
  }
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, "utf8"));
  } catch {
    return {};
  }
}

function fileDigest(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** Size and time of every source: cheap, and wrong only if both are forged. */
function sourceStamp() {
  const hash = createHash("sha256");
  const visit = (folder, isSource = () => true) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) visit(full, isSource);
      else if (!/\.(test|soak)\.ts$/.test(entry.name) && isSource(entry.name)) {
        const { size, mtimeMs } = statSync(full);
        hash.update(`${full}\0${size}\0${mtimeMs}\0`);
      }
    }
  };
  visit(path.join(root, "src"));
  visit(path.join(root, "viewer"));
  // The sources of the mod; what is built of them lies beside them.
  visit(path.join(root, "plugin", "mods"), (name) => name.endsWith(".ts"));
  for (const name of [
    "package.json",
    "tsconfig.json",
    "tsconfig.types.json",
    "scripts/build.mjs",
    "scripts/buildLibrary.mjs",
    "scripts/publicTypes.mjs",
    "scripts/skipIndexes.mjs",
  ]) {
    hash.update(fileDigest(path.join(root, name)));
  }
  return hash.digest("hex");
}

export async function setup({ build = true, force = false } = {}) {
  const lock = fileDigest(path.join(root, "package-lock.json"));
  let stamp = readStamp();
  if (stamp.lock !== lock || !existsSync(path.join(root, "node_modules", "esbuild"))) {
    console.error("throughline: installing packages…");
    // Not `npm ci`: it refuses a lockfile that lacks optional packages of other platforms.
    run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
    stamp = { lock };
    writeStamp(stamp);
  }
  if (!build) return;
  const sources = sourceStamp();
  const isBuilt = [
    "dist/cli.js",
    "dist/viewer/index.html",
    "dist/hooks/capture.cjs",
    "plugin/mods/hooks/carrier.js",
    "plugin/mods/hooks/throughline.js",
  ].every((name) => existsSync(path.join(root, name)));
  if (force || stamp.sources !== sources || !isBuilt) {
    console.error("throughline: building…");
    const { buildAll } = await import("./build.mjs");
    await buildAll();
    writeStamp({ lock, sources });
  }
}

function writeStamp(stamp) {
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await setup({ force: process.argv.includes("--force") });
