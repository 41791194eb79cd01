// Reads files and folders that need not be there.
import { readdirSync, readFileSync } from "node:fs";
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

/** For files whose absence means as much as any other reason that they cannot be read. */
export function readIfPossible(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** The names in a folder; none where there is no such folder. Throws what the system refuses for any other reason. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return [];
    throw error;
  }
}
