// Folders in which nothing is captured: named plainly or by a glob, with everything below them.
import { realpathSync } from "node:fs";

const foldsCase = process.platform === "win32" || process.platform === "darwin";

/** The names of a path, in the spelling in which paths are compared. */
function namesOf(folder: string): string[] {
  const plain = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return (foldsCase ? plain.toLowerCase() : plain).split("/");
}

/**
 * Matches a pattern in which `star` stands for any number of items. `isOpen`: what follows the match may be anything.
 * Only the last star is tried again, so the time is bounded by the product of both lengths: a repository writes patterns too.
 */
function matches(
  items: ArrayLike<string>,
  pattern: ArrayLike<string>,
  star: string,
  isSame: (item: string, part: string) => boolean,
  isOpen: boolean,
): boolean {
  let [at, next, lastStar, from] = [0, 0, -1, 0];
  for (;;) {
    const [item, part] = [items[at], pattern[next]];
    if (part === undefined && (isOpen || item === undefined)) return true;
    if (part === star) {
      lastStar = next++;
      from = at;
    } else if (item !== undefined && part !== undefined && isSame(item, part)) {
      at++;
      next++;
    } else {
      if (lastStar === -1 || from >= items.length) return false;
      next = lastStar + 1;
      at = ++from;
    }
  }
}

const isSameCharacter = (character: string, part: string): boolean => part === "?" || part === character;
const isSameName = (name: string, part: string): boolean => matches(name, part, "*", isSameCharacter, false);

/** A glob over whole folders: `*` and `?` stay inside a name, `**` goes across; what lies below matches too. */
function covers(glob: string, folder: readonly string[]): boolean {
  const parts = namesOf(glob);
  // `a/**` is what lies in `a`, and not `a` itself.
  if (parts.at(-1) === "**") parts[parts.length - 1] = "*";
  return matches(folder, parts, "**", isSameName, true);
}

/** Whether a folder is, or lies in, one of those that are excluded. */
export function isExcluded(folder: string, excluded: readonly string[]): boolean {
  const names = namesOf(folder);
  return excluded.some((entry) => covers(entry, names));
}

/** A link is excluded when what it leads to is. */
function withRealPath(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** Whether the work goes on in an excluded folder: where the agent was started, or where it is now. */
export function isExcludedWork(
  folders: readonly (string | undefined)[],
  excluded: readonly string[] = [],
): boolean {
  if (excluded.length === 0) return false;
  const known = folders.filter((folder) => folder !== undefined && folder !== "") as string[];
  return known.flatMap(withRealPath).some((folder) => isExcluded(folder, excluded));
}
