// Reads a file that need not be there.
import { readFileSync } from "node:fs";
import { systemErrorCode } from "./errors.ts";

/** Throws what the system refuses for any other reason. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
