// Whose a file or folder is, and whether other users of the machine can reach it.
import { lstatSync, statSync } from "node:fs";

/** The user of this process; undefined on Windows, where files have access lists instead of one owner and a mode. */
export const ownUser = (): number | undefined => process.getuid?.();

const OTHERS = 0o077;

/**
 * `private`: this user's, and closed to all others. `open`: this user's, and open to others. `foreign`: another user's.
 * A symbolic link has to be this user's as well as what it leads to.
 */
export function ownershipOf(file: string, user = ownUser()): "absent" | "foreign" | "open" | "private" {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  const target = entry?.isSymbolicLink() ? statSync(file, { throwIfNoEntry: false }) : entry;
  if (entry === undefined || target === undefined) return "absent";
  if (user === undefined) return "private";
  if (entry.uid !== user || target.uid !== user) return "foreign";
  return (target.mode & OTHERS) === 0 ? "private" : "open";
}
