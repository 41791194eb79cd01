// What lies in the vault's folders, the leftovers of killed writers among it.
import { readdirSync } from "node:fs";
import { systemErrorCode } from "../lib/index.ts";

const TEMPORARY = /^\..+\.[0-9a-f]+\.tmp$/;

/** The names in a folder; none when it does not exist (yet). */
export function namesIn(folder: string): readonly string[] {
  return whenPresent(() => readdirSync(folder)) ?? [];
}

/** Undefined when the file or folder does not exist; every other failure is thrown. */
export function whenPresent<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a name is that of an atomic write's temporary file. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

export function isTemporaryOf(target: string, name: string): boolean {
  return isTemporary(name) && name.startsWith(`.${target}.`);
}
