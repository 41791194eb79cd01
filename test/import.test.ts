// An import that is killed five times ends in the same database as one that is not; secrets are nowhere in it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  databaseFile,
  type Home,
  isObject,
  parseJson,
  resolveHome,
  workerStateFile,
} from "../src/lib/index.ts";
import { openStore } from "../src/store/index.ts";
import { cliFile } from "./commandLine.ts";
import { plantedSecret, writeSessions } from "./fixtures/import/sessions.ts";
import { until } from "./worker/until.ts";

const KILLS = 5;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-imp-"));
});

interface Place {
  readonly home: Home;
  start(...args: string[]): ChildProcess;
  /** The text of a command that has to succeed. */
  must(...args: string[]): Promise<string>;
  workerPid(): number | undefined;
}

const places: Place[] = [];

function place(name: string): Place {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    THROUGHLINE_HOME: path.join(folder, name),
    THROUGHLINE_WORKER_PORT: "0",
  };
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [cliFile, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const made: Place = {
    home,
    start,
    must: async (...args) => {
      const child = start(...args);
      const [out, err, [code]] = await Promise.all([
        text(child.stdout ?? process.stdin),
        text(child.stderr ?? process.stdin),
        once(child, "exit"),
      ]);
      if (code !== 0) throw new Error(`throughline ${args.join(" ")}: exit ${code}\n${out}${err}`);
      return out;
    },
    workerPid: () => {
      const file = workerStateFile(home);
      const state = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
      return isObject(state) && typeof state.pid === "number" ? state.pid : undefined;
    },
  };
  places.push(made);
  return made;
}

afterEach(async () => {
  for (const one of places.splice(0)) await one.must("worker", "stop").catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Everything that is kept. Left out are the first line, which says when the export was made, and the order of the
 * rows: it is that of their numbers, and which of two sessions was observed first is a matter of time.
 */
async function exported(from: Place, name: string): Promise<string[]> {
  const file = path.join(folder, `${name}.jsonl`);
  await from.must("data", "export", file);
  return readFileSync(file, "utf8").trim().split("\n").slice(1).sort();
}

/** Conversations as they were archived, without the line that says when. */
function archives({ home }: Place): Map<string, string> {
  const root = path.join(home.data, "groups");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  return new Map(
    files.map((name) => [name, readFileSync(path.join(root, name), "utf8").replace(/^Archived: .*$/m, "")]),
  );
}

/** How many changes the database has seen, read beside whoever writes it. */
async function changes({ home }: Place): Promise<number> {
  if (!existsSync(databaseFile(home))) return 0;
  try {
    const store = await openStore({ file: databaseFile(home), readOnly: true });
    const head = await store.feedHead();
    await store.close();
    return head;
  } catch {
    // It is being made.
    return 0;
  }
}

describe("throughline import", () => {
  it("killed five times ends as one that was not, and adds nothing the second time", async () => {
    const transcripts = path.join(folder, "projects");
    writeSessions(transcripts, { sessions: 6, turns: 12 });
    const calm = place("calm");
    await calm.must("import", transcripts);
    const wanted = await exported(calm, "calm");
    expect(wanted.filter((line) => line.startsWith('{"type":"job"'))).toEqual([]);
    const whole = await changes(calm);

    const killed = place("killed");
    const seen: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      const command = killed.start("import", transcripts);
      const ended = once(command, "exit");
      const enough = (whole * kill) / (KILLS + 2);
      await until(
        async () => ((await changes(killed)) >= enough ? true : undefined),
        "the import to be so far",
      );
      // Every other time the command lives on, and calls another worker.
      if (kill % 2 === 1) command.kill("SIGKILL");
      process.kill(killed.workerPid() ?? 0, "SIGKILL");
      seen.push(await changes(killed));
      if (kill % 2 === 0) command.kill("SIGKILL");
      await ended;
    }
    expect(Math.max(...seen)).toBeLessThan(whole);
    expect(new Set(seen).size).toBe(KILLS);
    await killed.must("import", transcripts);
    expect(await exported(killed, "killed")).toEqual(wanted);
    expect(archives(killed)).toEqual(archives(calm));
    expect(await killed.must("data", "check")).toContain("nothing is wrong");

    const again = JSON.parse(await killed.must("import", transcripts, "--json"));
    expect(again.grown).toEqual({ observations: 0, summaries: 0 });
    expect(await exported(killed, "again")).toEqual(wanted);
  });

  it("goes on by itself when the worker dies", async () => {
    const transcripts = path.join(folder, "projects");
    writeSessions(transcripts, { sessions: 3, turns: 10 });
    const here = place("here");
    const command = here.start("import", transcripts, "--json");
    const out = text(command.stdout ?? process.stdin);
    await until(async () => ((await changes(here)) > 50 ? true : undefined), "the import to begin");
    process.kill(here.workerPid() ?? 0, "SIGKILL");
    expect(await once(command, "exit")).toEqual([0, null]);
    const { imported, failed } = JSON.parse(await out);
    expect([imported.length, failed.length]).toEqual([4, 0]);
    expect(await here.must("stats")).toContain("4 sessions");
  });

  it("leaves secrets in the transcripts: none is in database, journal, archives or logs", async () => {
    const transcripts = path.join(folder, "projects");
    writeSessions(transcripts, { sessions: 2, turns: 4 });
    const here = place("here");
    const dry = JSON.parse(await here.must("import", transcripts, "--dry-run", "--json"));
    expect(dry.done[0].secrets).toBeGreaterThan(0);
    expect(existsSync(here.home.data)).toBe(false);
    await here.must("import", transcripts);
    const files = readdirSync(path.join(folder, "here"), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(folder, "here", name))
      // The vault has exact bytes, and says so.
      .filter((file) => statSync(file).isFile() && !file.includes(`${path.sep}vault${path.sep}`));
    expect(files.some((file) => file.endsWith("throughline.db-wal"))).toBe(true);
    expect(files.some((file) => file.endsWith(".md"))).toBe(true);
    expect(files.filter((file) => readFileSync(file).includes(plantedSecret))).toEqual([]);
    expect(await here.must("search", "which loop ran too often")).toContain("loop");
  });
});
