// Imports by the built command in homes of their own, killed with their workers, and what is in the database afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { databaseFile, type Home, resolveHome, workerStateFile } from "../../src/home/index.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { openStore } from "../../src/store/index.ts";
import { cliFile } from "../commandLine.ts";
import { until } from "../until.ts";

export interface ImportPlace {
  readonly home: Home;
  /** Starts a command and does not wait. */
  start(...args: string[]): ChildProcess;
  /** The output of a command that has to succeed. */
  must(...args: string[]): Promise<string>;
  /** Ends the worker at once, if there is one. */
  killWorker(): void;
  /** How many changes the database has seen, read beside its writer. */
  changes(): Promise<number>;
  /**
   * Everything that is kept. Left out are the first line, which says when the export was made, and the order of rows,
   * which is that of their numbers: which of two sessions was observed first is a matter of time.
   */
  exported(): Promise<string[]>;
  /** Conversations as they were archived, without the line that says when. */
  archives(): ReadonlyMap<string, string>;
}

export function importPlace(folder: string): ImportPlace {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    THROUGHLINE_HOME: folder,
    THROUGHLINE_WORKER_PORT: "0",
  };
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [cliFile, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const must = async (...args: string[]): Promise<string> => {
    const child = start(...args);
    if (child.stdout === null || child.stderr === null) throw new Error("the command has no pipes");
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    if (code !== 0) throw new Error(`throughline ${args.join(" ")}: exit ${code}\n${out}${err}`);
    return out;
  };
  return {
    home,
    start,
    must,
    killWorker: () => {
      const file = workerStateFile(home);
      const state = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
      if (isObject(state) && typeof state.pid === "number") process.kill(state.pid, "SIGKILL");
    },
    changes: () => changesIn(databaseFile(home)),
    exported: () => exportedFrom(databaseFile(home)),
    archives: () => archivesIn(path.join(home.data, "groups")),
  };
}

async function exportedFrom(file: string): Promise<string[]> {
  const store = await openStore({ file, readOnly: true });
  try {
    const lines: string[] = [];
    for await (const line of store.exportLines()) lines.push(line);
    return lines.slice(1).sort();
  } finally {
    await store.close();
  }
}

async function changesIn(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  try {
    const store = await openStore({ file, readOnly: true });
    const head = await store.feedHead();
    await store.close();
    return head;
  } catch {
    // It is being made.
    return 0;
  }
}

function archivesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".md"));
  return new Map(
    files.map((name) => [name, readFileSync(path.join(folder, name), "utf8").replace(/^Archived: .*$/m, "")]),
  );
}

interface ImportKills {
  readonly kills: number;
  /** How many changes the whole import makes; the kills fall in between. */
  readonly whole: number;
}

/** Begins an import again and again and kills it, further on each time. Gives how far it was each time. */
export async function killImports(
  place: ImportPlace,
  source: string,
  { kills, whole }: ImportKills,
): Promise<number[]> {
  const seen: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    const command = place.start("import", source, "--quiet");
    const ended = once(command, "exit");
    // On a busy machine an import gets further than it was to: the next kill waits until there is something new.
    const enough = Math.max((whole * kill) / (kills + 2), (seen.at(-1) ?? 0) + 1);
    await until(
      async () => ((await place.changes()) >= enough ? true : undefined),
      "the import to be so far",
    );
    // The command first or the worker first: a command that lives on calls another worker.
    if (kill % 2 === 1) command.kill("SIGKILL");
    place.killWorker();
    seen.push(await place.changes());
    command.kill("SIGKILL");
    await ended;
  }
  return seen;
}
