// The package as a user gets it: packed, installed in an empty project with its peers, and compiled there.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { devDependencies, dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** In no list of ours: the version that the end-to-end suite uses. Its optional part is the CLI, 350 MB of it. */
const agentSdk = { "@anthropic-ai/claude-agent-sdk": "0.3.325" };

const npm = (args: readonly string[], cwd: string) =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "ignore"],
  });

/** An empty project with the tarball and these packages, in the versions that this repository uses. */
export function projectWithPackage(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(
    npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root),
  ) as [{ filename: string }];
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
  const versions: Record<string, string> = { ...devDependencies, ...dependencies, ...agentSdk };
  const named = packages.map((name) => `${name}@${versions[name] ?? "latest"}`);
  npm(["install", "--omit=optional", `./${filename}`, "@types/node@20", ...named], folder);
  cpSync(path.join(root, "examples"), folder, { recursive: true });
}

const strict = {
  target: "es2023",
  lib: ["es2023"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  outDir: "out",
};

/** What our compiler says of a project's files, strictly and with the libraries' declarations; empty when nothing. */
export function compileIn(folder: string, files: readonly string[], more: object = {}): string {
  const compilerOptions = { ...strict, ...more };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler], {
    cwd: folder,
    encoding: "utf8",
  });
  return status === 0 ? "" : `${stdout}${stderr}` || "the compiler failed";
}
