// Kills real writing processes with SIGKILL at random moments, again and again, and shows what each had confirmed.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { seededRandom } from "./seededRandom.ts";

interface KilledRound {
  readonly round: number;
  /** The whole lines each writer printed before it died; a line cut off by the kill is not among them. */
  readonly confirmed: readonly (readonly string[])[];
}

interface KillLoop {
  /** A TypeScript file that writes for ever and prints one line, with `writeSync`, after each write that returned. */
  readonly entry: string;
  /** The arguments of a writer. Writers of one round run at the same time. */
  readonly args: (round: number, writer: number) => readonly string[];
  readonly kills: number;
  readonly writers?: number;
  /** Confirmations that are waited for at most; for writers that die by themselves there is no end to it. Default 15. */
  readonly patience?: number;
  readonly seed: number;
  /** Looks at what is on disk while no writer is alive. */
  readonly onRound: (round: KilledRound) => void | Promise<void>;
}

/** A round ends when a random number of writes has been confirmed and a random moment has passed. */
export async function killLoop(loop: KillLoop): Promise<void> {
  const random = seededRandom(loop.seed);
  const { patience = 15 } = loop;
  const confirmations = (): number => (Number.isFinite(patience) ? 1 + random(patience) : patience);
  const writers = Array.from({ length: loop.writers ?? 1 }, (_, writer) => writer);
  const bundle = await bundleOf(loop.entry);
  for (let round = 0; round < loop.kills; round++) {
    const confirmed = await Promise.all(
      writers.map((writer) =>
        killAfter(startWriter(bundle, loop.args(round, writer)), confirmations(), random(8)),
      ),
    );
    await loop.onRound({ round, confirmed });
  }
}

/** Runs writers that end by themselves, all at once, and gives the lines that each printed. */
export async function runTogether(entry: string, args: readonly (readonly string[])[]): Promise<string[][]> {
  const bundle = await bundleOf(entry);
  return Promise.all(args.map((own) => killAfter(startWriter(bundle, own), Number.POSITIVE_INFINITY, 0)));
}

const bundles = new Map<string, Promise<string>>();

/** Built once for all rounds of a test, and removed when that ends. */
function bundleOf(entry: string) {
  const known = bundles.get(entry) ?? buildWriter(entry);
  bundles.set(entry, known);
  return known;
}

async function buildWriter(entry: string) {
  // Below the packages, so that a bundle finds those it leaves outside.
  const shelf = path.resolve(import.meta.dirname, "../../node_modules/.throughline-kill");
  mkdirSync(shelf, { recursive: true });
  const folder = mkdtempSync(path.join(shelf, "writer-"));
  onTestFinished(() => {
    bundles.delete(entry);
    rmSync(folder, { recursive: true, force: true });
  });
  const bundle = path.join(folder, "writer.mjs");
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    // Packages that bring both forms: the older one cannot be bundled.
    mainFields: ["module", "main"],
    logLevel: "error",
  });
  return bundle;
}

function startWriter(bundle: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bundle, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Resolves when the process is gone. Rejects when it ended by itself and not well. */
function killAfter(child: ChildProcess, confirmations: number, delay: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let printed = "";
    let complaints = "";
    let condemned = false;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (condemned || printed.split("\n").length <= confirmations) return;
      condemned = true;
      setTimeout(() => child.kill("SIGKILL"), delay);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0 || signal === "SIGKILL") resolve(printed.split("\n").slice(0, -1));
      else reject(new Error(`The writer ended with ${code ?? signal}: ${complaints}`));
    });
  });
}
