// The built command in a folder of its own, as a user types it: arguments in, output and exit code out.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { type Home, resolveHome } from "../src/home/index.ts";

export const cliFile = path.resolve(import.meta.dirname, "../dist/cli.js");

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface CommandLine {
  /** Where the command runs. */
  readonly folder: string;
  /** What THROUGHLINE_HOME says; the command makes it when it has something to keep. */
  readonly homeFolder: string;
  readonly home: Home;
  environment(more?: Record<string, string>): NodeJS.ProcessEnv;
  run(args: readonly string[], env?: Record<string, string>): Outcome;
  /**
   * The same from the sources and in this process, which takes a tenth of the time: for what does not depend on a
   * process of its own. One at a time.
   */
  runInProcess(args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
  /** Runs with `--json` and gives the document. */
  json(...args: string[]): unknown;
  /** The same in this process. */
  jsonInProcess(...args: string[]): Promise<unknown>;
  /** Writes a file below the folder and gives its path. */
  write(name: string, content: string | Uint8Array): string;
  hasWritten(): boolean;
}

/** Runs with these variables and no others. */
async function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  const set = (wanted: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name];
    Object.assign(process.env, wanted);
  };
  set(env);
  try {
    return await work();
  } finally {
    set(before);
  }
}

async function runInProcess(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { main } = await import("../src/cli/run.ts");
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((chunk) => {
      printed[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      return true;
    }),
  );
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await withEnvironment(env, () => main([...args]));
    return { code, out: printed.stdout, err: printed.stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.chdir(before);
  }
}

/** A fresh folder for every test of the calling file, or one for all of them. */
export function commandLine(life: "test" | "file" = "test"): CommandLine {
  const [begin, end] = life === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let folder = "";
  begin(() => {
    folder = mkdtempSync(path.join(tmpdir(), "throughline-cli-"));
  });
  end(() => rmSync(folder, { recursive: true, force: true }));
  const environment = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    THROUGHLINE_HOME: path.join(folder, "home"),
    ...more,
  });
  const run = (args: readonly string[], env: Record<string, string> = {}): Outcome => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cliFile, ...args], {
      cwd: folder,
      env: environment(env),
      encoding: "utf8",
    });
    return { code: status, out: stdout, err: stderr };
  };
  const inProcess = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
    runInProcess(args, folder, environment(env));
  return {
    get folder() {
      return folder;
    },
    get homeFolder() {
      return path.join(folder, "home");
    },
    get home() {
      return resolveHome({ env: environment(), platform: process.platform, homeFolder: folder });
    },
    environment,
    run,
    runInProcess: inProcess,
    json: (...args) => JSON.parse(run([...args, "--json"]).out),
    jsonInProcess: async (...args) => JSON.parse((await inProcess([...args, "--json"])).out),
    write(name, content) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    hasWritten: () => existsSync(path.join(folder, "home")),
  };
}
