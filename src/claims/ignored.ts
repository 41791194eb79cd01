// What git does not keep of a repository: generated files and those of one person. A missing one is no evidence against a memory.
import { gitIgnored } from "../home/git.ts";

/** Folders of dependencies and caches, in every repository. */
export const generatedFolders: ReadonlySet<string> = new Set(
  ".git .hg .svn node_modules bower_components .venv venv __pycache__ .next .nuxt .cache .turbo .pytest_cache .mypy_cache .ruff_cache .tox .gradle .terraform".split(
    " ",
  ),
);

/** Folders that a build makes, unless the ignore rules say otherwise. */
export const buildFolders: ReadonlySet<string> = new Set(
  "dist build out coverage target vendor .idea .vscode".split(" "),
);

const GIT_TIMEOUT_MS = 1_000;

/** Which of these paths git ignores; a folder ends with a slash. Undefined where git does not answer. */
export const ignoredPaths = (root: string, paths: readonly string[]): ReadonlySet<string> | undefined =>
  gitIgnored(root, paths, GIT_TIMEOUT_MS);
