// A world for one test: a home, a folder to work in, a scripted API, and a sandbox that holds whatever runs there.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, inject } from "vitest";
import { type ScriptedApi, type ScriptedApiOptions, startScriptedApi } from "../scripted-api/index.ts";
import { type ClaudeOptions, type ClaudeRun, type RunningClaude, startClaude } from "./drive.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

/** Whether the real CLI can run here; the reason was printed before the suite began. */
export const hasClaude = inject("claudeBinary") !== "";

type Run = Omit<ClaudeOptions, "binary" | "sandbox" | "home" | "cwd"> & { readonly cwd?: string };

export interface World {
  readonly home: string;
  readonly work: string;
  readonly api: ScriptedApi;
  readonly sandbox: Sandbox;
  start(run: Run): RunningClaude;
  claude(run: Run): Promise<ClaudeRun>;
}

const open: (() => Promise<void>)[] = [];

/** Makes a world that goes away after the test, with every process in it. */
export async function openWorld(options: Pick<ScriptedApiOptions, "enforce"> = {}): Promise<World> {
  // Short names: a socket's path has little room.
  const folder = mkdtempSync(path.join(tmpdir(), "tle-"));
  const [home, work] = [path.join(folder, "home"), path.join(folder, "work")];
  for (const one of [home, work]) mkdirSync(one);
  const socket = path.join(folder, "api.sock");
  const api = await startScriptedApi({ socket, ...options });
  const sandbox = await openSandbox(socket);
  open.push(async () => {
    await sandbox.close();
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (run: Run): RunningClaude =>
    startClaude({ binary: inject("claudeBinary"), sandbox, home, cwd: work, ...run });
  return { home, work, api, sandbox, start, claude: (run) => start(run).ended };
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
