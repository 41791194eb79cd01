// What git does not keep of a repository: files that are made there, or belong to one person alone. That one of them is
// missing says nothing about a memory.

export interface IgnoreRule {
  readonly pattern: RegExp;
  /** It takes back what an earlier one says. */
  readonly isNegated: boolean;
}

/** Folders that hold what others wrote, or what a program keeps for itself, in every repository. */
export const alwaysLeftOut: ReadonlySet<string> = new Set(
  ".git .hg .svn node_modules bower_components .venv venv __pycache__ .next .nuxt .cache .turbo .pytest_cache .mypy_cache .ruff_cache .tox .gradle .terraform".split(
    " ",
  ),
);

/** Folders that are made by a build, unless git says that they are kept. */
export const oftenMade: ReadonlySet<string> = new Set(
  "dist build out coverage target vendor .idea .vscode".split(" "),
);

function source(glob: string): string {
  return glob.replace(/\*\*\/|\/\*\*$|\*\*|\*|\?|\[!?[^\]]*\]|[.+^${}()|\\]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "/**") return "/.*";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return part.startsWith("[") ? part.replace(/^\[!/, "[^") : `\\${part}`;
  });
}

const MOST_STARS = 8;

/** Whoever writes such a pattern wants it to take for ever. */
export const isTooMuch = (glob: string): boolean =>
  glob.length > 300 || glob.split("*").length - 1 > MOST_STARS || /(?:\*\*\/){2}/.test(glob);

function ruleOf(line: string, base: string): IgnoreRule | undefined {
  const text = line.replace(/(?<!\\)\s+$/, "").replace(/^\\(?=[#!])/, "");
  if (text === "" || line.startsWith("#") || isTooMuch(text)) return undefined;
  const isNegated = line.startsWith("!");
  const glob = isNegated ? text.slice(1) : text;
  const isFolder = glob.endsWith("/");
  const plain = glob.replace(/^\/|\/$/g, "");
  const isAnchored = glob.replace(/\/$/, "").includes("/");
  try {
    const start = isAnchored ? "" : "(?:.*/)?";
    const below = base === "" ? "" : `${source(base)}/`;
    return {
      pattern: new RegExp(`^${below}${start}${source(plain)}${isFolder ? "/" : "(?:/|$)"}`),
      isNegated,
    };
  } catch {
    // A character class that is none: git would not match anything by it either.
    return undefined;
  }
}

/** The rules of one `.gitignore`, for paths below the root of the repository. */
export function ignoreRules(text: string, folder: string): IgnoreRule[] {
  return text.split("\n").flatMap((line) => ruleOf(line.replace(/\r$/, ""), folder) ?? []);
}

/** Whether git passes over a path; one of a folder ends with a slash. The last rule that matches decides. */
export function isIgnored(path: string, rules: readonly IgnoreRule[]): boolean {
  const last = rules.findLast(({ pattern }) => pattern.test(path));
  return last !== undefined && !last.isNegated;
}
