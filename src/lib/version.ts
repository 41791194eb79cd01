// The version of the package, as the build wrote it down.

declare const __THROUGHLINE_VERSION__: string | undefined;

/** What runs from sources has none. */
export const ownVersion: string =
  typeof __THROUGHLINE_VERSION__ === "string" ? __THROUGHLINE_VERSION__ : "0.0.0-dev";

function versionParts(version: string) {
  const [core = "", ...rest] = version.split("-");
  return {
    numbers: core.split(".").map((part) => Number.parseInt(part, 10) || 0),
    prerelease: rest.join("-"),
  };
}

/**
 * Whether `candidate` is strictly newer than `current`. Strictly, because two workers that each believed
 * themselves newer would replace each other for ever.
 */
export function isNewer(candidate: string, current: string) {
  const [a, b] = [versionParts(candidate), versionParts(current)];
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (a.prerelease === "" || b.prerelease === "") return a.prerelease === "" && b.prerelease !== "";
  return a.prerelease.localeCompare(b.prerelease, "en", { numeric: true }) > 0;
}
