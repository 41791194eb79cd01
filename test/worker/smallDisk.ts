// A disk of its own for a process, as small as it has to be, that no other process sees.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Runs a command that sees a tmpfs of `size` at `disk`. */
export function onSmallDisk(disk: string, command: readonly string[], size = "3m"): SpawnSyncReturns<string> {
  const mount = `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`;
  return spawnSync("unshare", ["-rm", "sh", "-c", mount, disk, ...command], { encoding: "utf8" });
}

function mountIsAllowed(): boolean {
  if (process.platform !== "linux") return false;
  const probe = mkdtempSync(path.join(tmpdir(), "tl-d-"));
  try {
    return onSmallDisk(probe, ["true"]).status === 0;
  } finally {
    rmSync(probe, { recursive: true });
  }
}

export const mayMount = mountIsAllowed();
if (!mayMount) console.warn("a small disk needs `unshare -rm` and tmpfs, which are not allowed here");

/** Leaves not one byte free. */
export function fillDisk(file: string): void {
  writeFileSync(file, "");
  for (let size = 65_536; size >= 1; ) {
    try {
      appendFileSync(file, Buffer.alloc(size));
    } catch {
      // No room for so much; perhaps for less.
      size = Math.floor(size / 2);
    }
  }
}
