// A user with some weeks of work behind them: a home, a real worker on a port that stays, and the sample session played
// through the real hooks. Everything runs from the built bundle.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Home, resolveHome, workerSocket } from "../../../src/home/index.ts";
import { isObject, type JsonObject, parseJson } from "../../../src/lib/index.ts";
import { ended, pidThere, until } from "../../until.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** What `npm start` plays the sample with. */
interface Feeding {
  demoPlace(folder: string): Place;
  feed(place: Place, env: Environment): void;
  runHook(place: Place, payload: JsonObject, env: Environment): string;
}

interface Place {
  readonly project: string;
  readonly session: string;
  readonly transcript: string;
}

type Environment = Readonly<Record<string, string>>;

const load = async <T>(file: string): Promise<T> =>
  (await import(pathToFileURL(path.join(root, file)).href)) as T;

const { demoPlace, feed, runHook } = await load<Feeding>("scripts/start/feed.mjs");
const { storyLines } = await load<{ storyLines(): string[] }>("scripts/pictures/story.mjs");

export interface ViewerWorld {
  readonly home: Home;
  readonly folder: string;
  readonly port: number;
  readonly place: Place;
  readonly base: string;
  /** Runs a command that has to succeed. */
  throughline(...args: readonly string[]): string;
  /** In a folder of work. */
  throughlineIn(cwd: string, ...args: readonly string[]): string;
  start(): Promise<void>;
  /** As a crash would end it. */
  kill(): Promise<void>;
  /** An address that signs a browser in, once. */
  invitation(): string;
  /** Hands a payload to the hook of its event, as Claude Code does it; session and folders are filled in. */
  hook(payload: JsonObject): void;
  /** Until nothing waits in spool and queue. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function environmentIn(folder: string, port: number): Environment {
  return {
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    THROUGHLINE_HOME: path.join(folder, "throughline"),
    THROUGHLINE_WORKER_PORT: String(port),
    NO_COLOR: "1",
  };
}

export async function openViewerWorld(lines: readonly string[] = storyLines()): Promise<ViewerWorld> {
  // Short names: a socket's path has little room.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "tl-v-")));
  const port = await freePort();
  const env = environmentIn(folder, port);
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  const place = demoPlace(folder);
  mkdirSync(place.project, { recursive: true });
  let worker: ChildProcess | undefined;
  const throughlineIn = (cwd: string, ...args: readonly string[]): string => {
    const command = [path.join(root, "dist", "cli.js"), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`throughline ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const throughline = (...args: readonly string[]): string => throughlineIn(folder, ...args);
  const kill = async (): Promise<void> => {
    worker?.kill("SIGKILL");
    if (worker !== undefined) await ended(worker);
    worker = undefined;
  };
  const start = async (): Promise<void> => {
    const child = spawn(process.execPath, [path.join(root, "dist", "worker.js")], {
      cwd: folder,
      env,
      stdio: "ignore",
    });
    worker = child;
    const isUp = async (): Promise<true | undefined> => {
      if ((await pidThere(workerSocket(home))) !== child.pid) return undefined;
      // Hooks are answered before the page is.
      const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      return health?.ok === true ? true : undefined;
    };
    await until(isUp, "the worker");
  };
  const settled = async (): Promise<void> => {
    await until(() => {
      const status = parseJson(throughline("worker", "status", "--json"));
      const { spool, queue } = isObject(status) ? status : {};
      if (!isObject(spool) || !isObject(queue)) return undefined;
      return Number(spool.waiting) + Number(queue.ready) + Number(queue.leased) === 0 ? true : undefined;
    }, "an empty queue");
  };
  const file = path.join(folder, "story.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  throughline("data", "import", file);
  return {
    home,
    folder,
    port,
    place,
    base: `http://127.0.0.1:${port}/`,
    throughline,
    throughlineIn,
    start,
    kill,
    settled,
    invitation: () => {
      const { url } = (parseJson(throughline("open", "--print", "--json")) ?? {}) as { url?: string };
      return String(url);
    },
    hook: (payload) => {
      const { project: cwd, session, transcript } = place;
      runHook(place, { session_id: session, cwd, transcript_path: transcript, ...payload }, env);
    },
    close: async () => {
      await kill();
      // A hook may have started another one meanwhile.
      spawnSync(process.execPath, [path.join(root, "dist", "cli.js"), "worker", "stop"], {
        cwd: folder,
        env,
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Plays the whole sample session through the hooks. */
export function playSample({ place, folder, port }: ViewerWorld): void {
  feed(place, environmentIn(folder, port));
}
