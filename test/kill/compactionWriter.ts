// A process that compacts one request and dies at a chosen call of the file system, before it or half way through it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { openCompacting, prepareStep, type Source } from "./compactionStep.ts";

const [folder = "", source = "", death = ""] = process.argv.slice(2);
const real = { ...fs };
let calls = 0;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;) real.fstatSync(0);
}

/** Every call that changes something on disk is a point at which the process may die. */
for (const name of ["openSync", "fsyncSync", "renameSync", "closeSync", "mkdirSync", "linkSync"] as const) {
  const call = real[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (String(calls++) === death) die();
      return call(...args);
    },
  });
}
Object.assign(fs, {
  writeSync: (fd: number, bytes: Uint8Array, ...rest: number[]) => {
    if (String(calls++) === death) die();
    if (String(calls++) === death) {
      real.writeSync(fd, bytes.subarray(0, bytes.length >> 1));
      die();
    }
    return real.writeSync(fd, bytes, ...rest);
  },
});

const session = openCompacting(folder, true);
syncBuiltinESMExports();
prepareStep(session, source as Source);
real.writeSync(1, `${calls}\n`);
