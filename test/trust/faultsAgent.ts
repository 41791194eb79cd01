// One agent of a run with faults: writes its transcript, runs a hook for each event, and kills one when it is told to.
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../src/lib/index.ts";
import { environment, eventsOf, type FaultPlan, type Happening, happening } from "./faultsPlan.ts";

let hook: ChildProcess | undefined;
let goOn: () => void = () => undefined;

/** Gives what the agent would have noticed: a code, or a word on stderr. */
function runHook(plan: FaultPlan, { hook: name, payload }: Happening): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...environment(plan), CLAUDE_PID: String(process.pid) };
    const child = spawn(process.execPath, [path.join(plan.hooks, `${name}.cjs`)], { env });
    hook = child;
    let noise = "";
    child.stderr.on("data", (chunk) => {
      noise += chunk;
    });
    // A hook that is killed while its payload is written breaks the pipe.
    child.stdin.on("error", () => child.stdin.destroy());
    child.on("close", (code, signal) => {
      hook = undefined;
      resolve(signal === "SIGKILL" || (code === 0 && noise === "") ? "" : `${name} ${code} ${noise}`);
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

export async function runAgent(plan: FaultPlan, agent: number): Promise<void> {
  process.on("message", (message) => {
    if (message === "kill") hook?.kill("SIGKILL");
    if (message === "go") goOn();
  });
  for (let at = 0; at < eventsOf(plan, agent); at++) {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      process.send?.({ ready: true });
    });
    const event = happening(plan, agent, at);
    const transcript = event.payload.transcript_path;
    if (typeof transcript === "string" && event.rows.length > 0) {
      mkdirSync(path.dirname(transcript), { recursive: true });
      appendFileSync(transcript, event.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    }
    process.send?.({ noise: await runHook(plan, event) });
  }
  process.disconnect();
}

export const isReady = (message: unknown): boolean => isObject(message) && message.ready === true;
export const noiseIn = (message: unknown): string =>
  isObject(message) && typeof message.noise === "string" ? message.noise : "";
