// Real workers in a home of their own: started, asked, stopped, killed, and gone when the test is over.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { databaseFile, type Home, resolveHome, spoolFolder, workerSocket } from "../../src/home/index.ts";
import { call, workerArguments } from "../../src/ipc/index.ts";
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { captureEvent, writeEvent } from "../../src/spool/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { ended, pidThere, until } from "../until.ts";

export { ended, pidThere, until };

export interface WorkerHome {
  readonly home: Home;
  readonly folder: string;
  readonly socket: string;
  readonly spool: string;
  env(more?: Record<string, string>): NodeJS.ProcessEnv;
  /** Starts a worker and does not wait. */
  start(script: string, more?: Record<string, string>): ChildProcess;
  /** Starts a worker and waits until it answers. */
  run(script: string, more?: Record<string, string>): Promise<ChildProcess>;
  status(): Promise<JsonObject>;
  spoolEvent(payload: JsonObject, now?: number): string;
  /** Reads the database beside the worker, or after it. */
  withStore<T>(use: (store: Store) => Promise<T>): Promise<T>;
}

/**
 * A fresh home for every test of the calling file, or one for all of them. Every process that was started is ended
 * with it.
 */
export function workerHome(life: "test" | "file" = "test"): WorkerHome {
  const [begin, end] = life === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let folder = "";
  let children: ChildProcess[] = [];
  const home = (): Home => resolveHome({ env: env(), platform: process.platform, homeFolder: folder });
  const env = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    THROUGHLINE_HOME: folder,
    THROUGHLINE_WORKER_PORT: "0",
    ...more,
  });
  begin(() => {
    folder = mkdtempSync(path.join(tmpdir(), "tl-w-"));
  });
  end(async () => {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map(ended));
    children = [];
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (script: string, more?: Record<string, string>): ChildProcess => {
    const child = spawn(process.execPath, workerArguments({ script }), {
      env: env(more),
      stdio: ["ignore", "ignore", "inherit"],
    });
    children.push(child);
    return child;
  };
  return {
    get home() {
      return home();
    },
    get folder() {
      return folder;
    },
    get socket() {
      return workerSocket(home());
    },
    get spool() {
      return spoolFolder(home());
    },
    env,
    start,
    run: async (script, more) => {
      const child = start(script, more);
      await until(
        async () => ((await pidThere(workerSocket(home()))) === child.pid ? true : undefined),
        "the worker",
      );
      return child;
    },
    status: async () => {
      const status = await call(workerSocket(home()), "status", { timeoutMs: 20_000 });
      return isObject(status) ? status : {};
    },
    spoolEvent: (payload, now = Date.now()) => {
      const event = captureEvent(payload, { lane: "hooks", writer: "test", now });
      if (event === undefined) throw new Error("that is no event");
      mkdirSync(home().state, { recursive: true, mode: 0o700 });
      writeEvent(spoolFolder(home()), event);
      return event.id;
    },
    withStore: async (use) => {
      const store = await openStore({ file: databaseFile(home()) });
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    },
  };
}
