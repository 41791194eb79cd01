// Before the unit suite: its temporary files go into memory where there is room for them. What is written durably there
// is written as durably as a killed process can tell, and no test waits for a disk.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const ROOM = 2 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}

export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return undefined;
  // Short names: a socket's path has little room.
  const folder = mkdtempSync(`${MEMORY}/tl-`);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
