// The real Claude Code CLI in one pinned version, installed once from the registry into a cache outside the project.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, systemErrorCode } from "../../src/lib/index.ts";

const CLAUDE_VERSION = "2.1.325";

/** Either the program, or the reason why it cannot be had here. */
type Claude = { readonly binary: string } | { readonly reason: string };

const PLATFORM = "linux-x64";
const INSTALL_TIMEOUT = 300_000;
const LOCK_POLL = 500;

export async function ensureClaude(): Promise<Claude> {
  const here = `${process.platform}-${process.arch}`;
  if (here !== PLATFORM) return { reason: `the suite runs Claude Code on ${PLATFORM} only; this is ${here}` };
  const folder = path.join(cacheFolder(), CLAUDE_VERSION);
  const binary = binaryIn(folder);
  if (!existsSync(binary)) {
    const wanted = `@anthropic-ai/claude-code@${CLAUDE_VERSION}`;
    const problem = await installOnce({ folder, wanted, proof: binaryIn });
    if (problem !== undefined) return { reason: problem };
  }
  const { status, stdout, stderr, error } = spawnSync(binary, ["--version"], { encoding: "utf8", env: {} });
  if (status === 0 && stdout.startsWith(CLAUDE_VERSION)) return { binary };
  return { reason: `${binary} does not start: ${error?.message ?? (stderr.trim() || stdout.trim())}` };
}

export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "throughline-e2e");
}

/** The package's own `claude` is put in place by an install script; the program itself needs none. */
function binaryIn(folder: string): string {
  return path.join(folder, "node_modules", "@anthropic-ai", `claude-code-${PLATFORM}`, "claude");
}

interface Installation {
  readonly folder: string;
  /** A package with its version. */
  readonly wanted: string;
  readonly options?: readonly string[];
  /** The file that is there when the package is. */
  readonly proof: (folder: string) => string;
}

/** Installs a package unless it is installed. Returns what went wrong. */
export function installOnce(installation: Installation): Promise<string | undefined> {
  return withLock(`${installation.folder}.lock`, () => install(installation));
}

/** Installs beside the final place and renames, so that a broken download is never taken for the package. */
function install({ folder, wanted, options = [], proof }: Installation): string | undefined {
  if (existsSync(proof(folder))) return undefined;
  const staging = `${folder}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  try {
    console.log(`throughline: installing ${wanted} for the end-to-end suite…`);
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
    const args = ["install", "--prefix", staging, ...quiet, ...options, wanted];
    const { status, stderr, error } = spawnSync("npm", args, {
      cwd: staging,
      encoding: "utf8",
      timeout: INSTALL_TIMEOUT,
    });
    if (status !== 0 || !existsSync(proof(staging))) {
      const why = error?.message ?? mainComplaint(stderr);
      return `${wanted} could not be installed from the registry: ${why}`;
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
    return undefined;
  } catch (error) {
    return `${wanted} could not be installed: ${errorText(error)}`;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** npm says what is wrong first, then what to try and where it logged. */
function mainComplaint(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^npm error /, "").trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("npm warn"))
    .slice(0, 3)
    .join("; ");
}

/** One installer at a time; a lock whose owner is gone does not count. */
async function withLock<T>(file: string, work: () => T): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true });
  while (!takeLock(file)) await sleep(LOCK_POLL);
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function takeLock(file: string): boolean {
  try {
    const fd = openSync(file, "wx");
    writeSync(fd, String(process.pid));
    closeSync(fd);
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    if (!isAlive(lockOwner(file))) rmSync(file, { force: true });
    return false;
  }
}

function lockOwner(file: string): number {
  try {
    // An empty lock was made this instant: its owner is writing itself into it.
    return Number(readFileSync(file, "utf8")) || process.pid;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return process.pid;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}
