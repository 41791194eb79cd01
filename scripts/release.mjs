// `npm run release:check`: what must be so before a version is published. Prints every check, exits with 1 where one fails.
//   -- --version 0.2.0   the version that is meant; that of package.json unless given
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./root.mjs";

const VERSIONED = [
  "package-lock.json",
  "plugin/.claude-plugin/plugin.json",
  "plugin/mods/.claude-plugin/plugin.json",
];
const ADDRESSES = ["repository", "homepage", "bugs"];
const SHIPPED = [
  "dist/cli.js",
  "dist/worker.js",
  "dist/viewer/index.html",
  "plugin/hooks/run.sh",
  "plugin/mods/hooks/throughline.js",
  "README.md",
  "LICENSE",
];
const NEVER_SHIPPED = /(\.(test|soak|e2e|live|pg)\.ts|^(src|test|bench|sample|scripts|viewer)\/|\.map$)/;

const json = (folder, name) => JSON.parse(readFileSync(path.join(folder, name), "utf8"));

function packedFiles(folder) {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(packed)[0].files.map(({ path: name }) => name);
}

function uncommitted(folder) {
  return execFileSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

/** Each check has a name, and `problem`: what is wrong and how to fix it, or nothing. */
export function releaseChecks({ folder, version, files, changed }) {
  const manifest = json(folder, "package.json");
  const changelog = readFileSync(path.join(folder, "CHANGELOG.md"), "utf8");
  const others = VERSIONED.filter((name) => json(folder, name).version !== version);
  const heading = new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d{2}-\\d{2}$`, "m");
  const unreleased = changelog.split(/^## /m).find((part) => part.startsWith("[Unreleased]")) ?? "";
  const missing = SHIPPED.filter((name) => !files.includes(name));
  const tooMuch = files.filter((name) => NEVER_SHIPPED.test(name));
  const absent = ADDRESSES.filter((name) => manifest[name] === undefined);
  const check = (name, isWrong, problem) => ({ name, ...(isWrong && { problem }) });
  return [
    check(
      "package.json has the version",
      manifest.version !== version,
      `it has ${manifest.version}: npm version ${version} --no-git-tag-version`,
    ),
    check(
      "plugins and lockfile have the version",
      others.length > 0,
      `set "version" in ${others.join(", ")}`,
    ),
    check(
      "the changelog has a dated section",
      !heading.test(changelog),
      `add "## [${version}] - YYYY-MM-DD" to CHANGELOG.md`,
    ),
    check(
      "nothing is left under Unreleased",
      /^- /m.test(unreleased),
      `move the lines under [Unreleased] to [${version}]`,
    ),
    check(
      "package.json has the public addresses",
      absent.length > 0,
      `add ${absent.join(", ")} to package.json once the repository is public`,
    ),
    check(
      "the tarball has what an install needs",
      missing.length > 0,
      `missing: ${missing.join(", ")}; npm run build`,
    ),
    check(
      "the tarball has nothing else",
      tooMuch.length > 0,
      `remove from "files": ${tooMuch.slice(0, 5).join(", ")}`,
    ),
    check(
      "everything is committed",
      changed.length > 0,
      `commit or stash: ${changed.slice(0, 3).join("; ")}`,
    ),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf("--version");
  const version = at === -1 ? json(root, "package.json").version : process.argv[at + 1];
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? "")) {
    console.error("throughline: --version takes a version such as 0.2.0");
    process.exit(2);
  }
  if (!existsSync(path.join(root, "dist/cli.js"))) {
    console.error("throughline: nothing is built yet; run `npm run build`");
    process.exit(2);
  }
  const checks = releaseChecks({
    folder: root,
    version,
    files: packedFiles(root),
    changed: uncommitted(root),
  });
  for (const { name, problem } of checks)
    console.log(`${problem ? "✗" : "✓"} ${name}${problem ? `: ${problem}` : ""}`);
  const failed = checks.filter(({ problem }) => problem).length;
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
