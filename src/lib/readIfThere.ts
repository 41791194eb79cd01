// Reads files and folders that need not be there.
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
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

/**
 * Text of a file that strangers may have put there, in a repository for example: undefined unless it is a plain file, or
 * a link to one, of at most `mostBytes`. A pipe is not waited for, and a device is not read.
 */
export function readForeign(file: string, mostBytes: number): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = fstatSync(fd);
    return facts.isFile() && facts.size <= mostBytes ? readFileSync(fd, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
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
