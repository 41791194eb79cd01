// Starts a detached worker. The worker itself finds out whether it is needed: one that cannot bind the socket exits.
// Small enough for hooks.

import { spawn } from "node:child_process";
import type { Environment } from "../home/index.ts";

/**
 * Node makes room for 32 MB of young objects, which is for programs that are busy all the time; a quarter is as quick
 * here. Only its command line can say so.
 */
const frugal = "--max-semi-space-size=4";

export interface WorkerProgram {
  /** The Node that runs it. */
  readonly node: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** What the program's Node is called with. */
export function workerArguments({ script, args = [] }: Omit<WorkerProgram, "node">) {
  return [frugal, script, ...args];
}

/** Returns at once; false when the system refuses to start the program. */
export function startWorker(program: WorkerProgram, env: Environment = process.env) {
  try {
    const child = spawn(program.node, workerArguments(program), {
      // Not the caller's folder: a resident process must not keep it from being removed.
      cwd: process.platform === "win32" ? undefined : "/",
      detached: true,
      env,
      stdio: "ignore",
      windowsHide: true,
    });
    // A failure to start is reported later, as an event, when the caller is gone.
    child.on("error", () => undefined);
    child.unref();
    return child.pid !== undefined;
  } catch {
    return false;
  }
}
