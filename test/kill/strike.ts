// Ends this very process with SIGKILL at a chosen operation on the disk: before it, or with half of a write done.
import fs from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { devNull } from "node:os";

type Operation = (this: unknown, ...args: unknown[]) => unknown;
type Operations = Record<string, Operation>;

const operations = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "ftruncateSync",
  "renameSync",
  "linkSync",
  "rmSync",
  "mkdirSync",
];

interface Strike {
  /** Operations that were counted so far. */
  count(): number;
  /** Whether operations count now. */
  arm(on: boolean): void;
}

/** Dies at the operation of that number, counted from 0 over everything that changes a file while it is armed. */
export async function strikeAt(fatal: number): Promise<Strike> {
  let armed = false;
  let count = 0;
  const die = (): void => {
    process.kill(process.pid, "SIGKILL");
  };
  const isFatal = (): boolean => armed && count++ === fatal;
  const files = fs as unknown as Operations;
  const { writeSync } = fs;
  const watch = (target: Operations, name: string, half: (args: unknown[]) => void): void => {
    const real = target[name] as Operation;
    target[name] = function (...args) {
      if (isFatal()) {
        half.call(this, args);
        die();
      }
      return real.apply(this, args);
    };
  };
  const halfWrite = (fd: number, [bytes, offset = 0, length, at = null]: unknown[]): void => {
    if (!Buffer.isBuffer(bytes)) return;
    const size = typeof length === "number" ? length : bytes.length - Number(offset);
    writeSync(fd, bytes, Number(offset), Math.ceil(size / 2), at as number | null);
  };
  for (const name of operations)
    watch(files, name, (args) => {
      if (name === "writeSync") halfWrite(Number(args[0]), args.slice(1));
    });
  const probe = await open(devNull, "r");
  const handles = Object.getPrototypeOf(probe) as Operations;
  await probe.close();
  for (const name of ["write", "sync", "truncate"])
    watch(handles, name, function (this: unknown, args: unknown[]) {
      if (name === "write") halfWrite((this as { fd: number }).fd, args);
    });
  syncBuiltinESMExports();
  return {
    count: () => count,
    arm: (on) => {
      armed = on;
    },
  };
}
