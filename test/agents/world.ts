// A world for one test of another agent: a home, a folder to work in, a scripted model, and a namespace with loopback alone.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach } from "vitest";
import { openSandbox, type Sandbox } from "../e2e/sandbox.ts";
import { type Throughline, throughlineIn } from "../e2e/throughline.ts";
import { type ScriptedModel, startScriptedModel } from "./scriptedModel.ts";

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

export interface AgentWorld {
  readonly home: string;
  readonly work: string;
  readonly model: ScriptedModel;
  readonly sandbox: Sandbox;
  /** Throughline's commands as this user runs them. */
  readonly throughline: Throughline;
  /** Runs a program in the work folder with nothing on stdin. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

const MOST_TRIES = 20;

const open: (() => Promise<void>)[] = [];

/** Makes a world that goes away after the test, with every process in it. */
export async function openAgentWorld(): Promise<AgentWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), "tla-"));
  const [home, work] = [path.join(folder, "home"), path.join(folder, "work")];
  for (const one of [home, work]) mkdirSync(one);
  const socket = path.join(folder, "model.sock");
  const model = await startScriptedModel(socket);
  const sandbox = await openSandbox(socket);
  open.push(async () => {
    await sandbox.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const places = { home, work, sandbox };
  return {
    ...places,
    model,
    throughline: throughlineIn(places),
    async run(command, env = {}) {
      const child = sandbox.spawn(command, {
        cwd: work,
        env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (!child.stdout || !child.stderr) throw new Error("the program was started without pipes");
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit"),
      ]);
      return { code, out: out + err };
    },
  };
}

/** Waits until the worker answers in time: the first answers of a worker on a busy machine are late. */
export async function warmWorker({ run, throughline, work }: AgentWorld): Promise<void> {
  await throughline.must("worker", "start");
  const hook = path.resolve(import.meta.dirname, "../../dist/hooks/answer.cjs");
  const about = { hook_event_name: "SessionStart", source: "startup", session_id: "warm", cwd: work };
  const command = `echo '${JSON.stringify(about)}' | "${process.execPath}" "${hook}"`;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { out } = await run(["/bin/sh", "-c", command]);
    if (out.includes("additionalContext")) return;
    rmSync(path.join(throughline.home.state, "worker.silent"), { force: true });
  }
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
