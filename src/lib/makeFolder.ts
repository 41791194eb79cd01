// Makes private folders by asking for each only once: Node's own recursive way never ends where a parent refuses (/proc).
import { mkdirSync } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "./errors.ts";

const PRIVATE_FOLDER = 0o700;

/** Makes a folder and what is missing above it, and leaves syncing to those who need it. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
    return;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || path.dirname(folder) === folder) throw error;
  }
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    // Somebody else may have made it in between.
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}
