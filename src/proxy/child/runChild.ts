// Runs a program as if the shell had started it: the same terminal, the same signals, the same exit.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import type { Environment } from "../../home/index.ts";
import { systemErrorCode, tolerating } from "../../lib/index.ts";

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the program was not started, and what to do about it. */
  readonly problem?: string;
}

/** A terminal sends these to all processes in its foreground, the child among them. */
const fromTerminal: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const passedOn: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP", "SIGUSR2", "SIGCONT"];

/** Whether the process was stopped, by Ctrl-Z for example. */
function isStopped(pid: number) {
  if (process.platform === "linux") {
    const text = tolerating(() => readFileSync(`/proc/${pid}/stat`, "utf8"), "ENOENT", "ESRCH") ?? "";
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3) === "T";
  }
  return spawnSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" })
    .stdout.trim()
    .startsWith("T");
}

/** Installs handlers; returns what removes them. */
function handling(handlers: Readonly<Partial<Record<NodeJS.Signals, () => void>>>) {
  const installed = Object.entries(handlers) as [NodeJS.Signals, () => void][];
  for (const [signal, handler] of installed) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of installed) process.off(signal, handler);
  };
}

function handlersFor(child: ChildProcess) {
  const isInTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const handlers: Partial<Record<NodeJS.Signals, () => void>> = {};
  for (const signal of passedOn) handlers[signal] = () => void child.kill(signal);
  for (const signal of fromTerminal)
    handlers[signal] = () => {
      if (!isInTerminal) child.kill(signal);
    };
  // A child that stops itself would leave a shell that waits for this process: it stops too, and both are continued together.
  if (isInTerminal)
    handlers.SIGCHLD = () => {
      if (child.pid !== undefined && child.exitCode === null && isStopped(child.pid))
        process.kill(process.pid, "SIGSTOP");
    };
  return handlers;
}

/** With the codes that a shell ends with. */
function notStarted(command: string, error: unknown): ChildExit | undefined {
  const code = systemErrorCode(error);
  if (code === "ENOENT")
    return { code: 127, signal: null, problem: `${command} was not found: check that it is on your PATH` };
  if (code === "EACCES")
    return { code: 126, signal: null, problem: `${command} may not be run: check its permissions` };
  return undefined;
}

/** Resolves when the program has ended, or where it is not there or may not be run. */
export function runChild(command: string, args: readonly string[], env: Environment): Promise<ChildExit> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...env }, stdio: "inherit" });
    const removeHandlers = handling(handlersFor(child));
    child.on("error", (error) => {
      removeHandlers();
      const exit = notStarted(command, error);
      if (!exit) reject(error);
      else resolve(exit);
    });
    child.on("exit", (code, signal) => {
      removeHandlers();
      resolve({ code, signal });
    });
  });
}

/** Ends this process as the child ended: by the same signal, or with the code that is returned. */
export function exitAs({ code, signal }: ChildExit): number {
  if (signal === null) return code ?? 1;
  process.kill(process.pid, signal);
  // Reached for signals that do not end a process of Node at once.
  return 128 + constants.signals[signal];
}
