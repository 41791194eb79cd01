// Globs over paths, matched name by name. Only the last star is tried again, so that the time is bounded by the product
// of both lengths: a repository writes patterns too.

function matchesItems(
  items: ArrayLike<string>,
  pattern: ArrayLike<string>,
  star: string,
  isSame: (item: string, part: string) => boolean,
  isOpen: boolean,
) {
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

const isSameCharacter = (character: string, part: string) => part === "?" || part === character;
const isSameName = (name: string, part: string) => matchesItems(name, part, "*", isSameCharacter, false);

/** `*` and `?` stay inside a name, `**` goes across names. What lies below a matching folder matches too. */
export function matchesGlob(names: readonly string[], glob: readonly string[]) {
  // `a/**` is what lies in `a`, and not `a` itself.
  const parts = glob.at(-1) === "**" ? [...glob.slice(0, -1), "*"] : glob;
  return matchesItems(names, parts, "**", isSameName, true);
}
