// Making files and names durable where SQLite does not do it for us.
import { closeSync, fsyncSync, openSync } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "../../lib/index.ts";

/** Puts a file on disk, and its name too. */
export function syncFile(file: string): void {
  syncPlace(file, "r+");
  // Windows cannot open folders, and keeps names by itself.
  if (process.platform !== "win32") syncPlace(path.dirname(path.resolve(file)), "r");
}

function syncPlace(place: string, flags: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(place, flags);
    fsyncSync(fd);
  } catch (error) {
    // Some file systems know no syncing of folders.
    if (!["EACCES", "EPERM", "EINVAL", "ENOTSUP"].includes(systemErrorCode(error) ?? "")) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
