// A network namespace with loopback and nothing else: what runs in it reaches the scripted API and no one beyond.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { systemErrorCode } from "../../src/lib/index.ts";

/** How this machine lets us make a namespace and enter it. */
interface Entrance {
  readonly make: readonly string[];
  readonly enter: readonly string[];
}

/** Root makes one directly; anyone else becomes root of a user namespace first, where that is allowed. */
const entrances: readonly Entrance[] = [
  { make: ["-n"], enter: ["-n"] },
  { make: ["-r", "-n"], enter: ["-U", "--preserve-credentials", "-n"] },
];

const loopback = "ip link set lo up";

function findEntrance(): Entrance | undefined {
  return entrances.find(
    ({ make }) =>
      spawnSync("unshare", [...make, "--", "sh", "-c", loopback], { stdio: "ignore" }).status === 0,
  );
}

/** Why no sandbox can be made here, if none can. */
export function sandboxProblem(): string | undefined {
  if (process.platform !== "linux") return "network namespaces need Linux";
  return findEntrance()
    ? undefined
    : "`unshare -n` with `ip link set lo up` is not allowed here (it needs root or unprivileged user namespaces)";
}

export interface Sandbox {
  /** A port inside; what is sent there arrives at the socket file. */
  readonly port: number;
  /** Starts a program inside; its process id is that of the program itself. */
  spawn(command: readonly string[], options: SpawnOptions): ChildProcess;
  /** Every process that is inside now, however it was started. */
  processes(): number[];
  /** Ends whatever is still inside, and the namespace with it. */
  close(): Promise<void>;
}

const holderFile = path.join(import.meta.dirname, "namespaceHolder.mjs");

export async function openSandbox(socketFile: string): Promise<Sandbox> {
  const entrance = findEntrance();
  if (!entrance) throw new Error(sandboxProblem());
  const start = `${loopback} && exec "$0" "$@"`;
  const command = [...entrance.make, "--", "sh", "-c", start, process.execPath, holderFile, socketFile];
  // `unshare` and `sh` both become what they start, so this is the keeper's own process.
  const keeper = spawn("unshare", command, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await Promise.race([
    once(createInterface(keeper.stdout), "line"),
    once(keeper, "exit").then(([code]) =>
      Promise.reject(new Error(`the sandbox did not start: exit ${code}`)),
    ),
  ]);
  const pid = keeper.pid ?? 0;
  const namespace = namespaceOf(pid);
  const processes = (): number[] =>
    namespace === undefined
      ? []
      : processIds().filter((other) => other !== pid && namespaceOf(other) === namespace);
  return {
    port: Number(line),
    spawn: (inner, options) =>
      spawn("nsenter", ["-t", String(pid), ...entrance.enter, "--", ...inner], options),
    processes,
    async close() {
      await endAll(processes);
      const gone = keeper.exitCode === null ? once(keeper, "exit") : undefined;
      keeper.stdin.end();
      await gone;
    },
  };
}

function processIds(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch (error) {
    // Gone meanwhile, dead already, or another user's.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Again and again, because a process may start another while it is being ended. */
async function endAll(processes: () => number[]): Promise<void> {
  for (let left = processes(); left.length > 0; left = processes()) {
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (systemErrorCode(error) !== "ESRCH") throw error;
      }
    }
    await sleep(20);
  }
}
