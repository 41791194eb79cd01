// What a shell command is for: to look, to check, to commit, or to do something.
import { defined } from "../lib/index.ts";

export type CheckClass = "test" | "lint" | "types" | "build";

interface ShellCommand {
  readonly kind: "look" | "check" | "commit" | "run";
  /** The part that gives it its kind, without paths and flags: `npm test`. */
  readonly name: string;
  readonly checks: readonly CheckClass[];
  /** It is known to change something: files, packages, branches, what others see. */
  readonly alters: boolean;
  /** The first line of a commit's message. */
  readonly subject?: string;
  readonly undoes?: Undone;
}

/** What git was told to take back. */
export interface Undone {
  /** Files that were restored; `.` for all. */
  readonly files: readonly string[];
  /** Commits that were reverted. */
  readonly commits: readonly string[];
}

/** Commands that change nothing. */
const looking = new Set(
  `ls cat head tail grep egrep rg ag find fd tree wc pwd which whereis echo printf cd pushd popd awk jq yq diff cmp stat
   file du df env printenv date ps sort uniq cut tr column less more true false test [ sleep type man whoami id uname
   hostname lsof pgrep history basename dirname realpath readlink xxd od strings tee xargs for while do done if then else
   fi export set source . nl bat`.split(/\s+/),
);
const gitLooks = new Set(
  "status log diff show branch remote rev-parse blame ls-files ls-tree config describe grep reflog shortlog cat-file name-rev".split(
    " ",
  ),
);
/** Programs that do more than compute something. */
const altering =
  /^(?:rm|mv|cp|mkdir|rmdir|touch|chmod|chown|ln|patch|kill|pkill|crontab|systemctl|terraform|helm|rsync|scp)\b|^git (?:-\S+ )*(?:push|merge|rebase|checkout|switch|restore|tag|reset|revert|stash|add|pull|cherry-pick|clone|init|worktree|rm|mv|apply|am)\b|^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|brew|apt|apt-get|gem|composer|cargo|go|mise|asdf) (?:install|i|add|remove|rm|uninstall|upgrade|update|publish|ci|link|get|mod|sync|use)\b|^(?:docker|podman|kubectl) (?!ps|logs|get|describe|images|inspect)\w|^gh \w+ (?:create|merge|close|edit|comment|review)\b|^sed .*-i\b/;
/** Words before the program that is meant. */
const prefixes = new Set("sudo env time nice nohup npx bunx pnpx command exec timeout".split(" "));
const throughs = new Set("run exec x -m dlx tool".split(" "));

const classOf: readonly (readonly [CheckClass, RegExp])[] = [
  ["types", /\b(tsc|typecheck|type-check|mypy|pyright|vue-tsc|svelte-check)\b/],
  [
    "lint",
    /\b(lint|eslint|biome|ruff|flake8|golangci-lint|clippy|vet|rubocop|shellcheck|prettier|fmt|format)\b/,
  ],
  [
    "test",
    /\b(tests?|vitest|jest|pytest|mocha|ava|rspec|phpunit|playwright|cypress|unittest|e2e|spec|check|ci|verify|tox|nox)\b/,
  ],
  ["build", /\b(build|compile|make|ninja|cmake|webpack|vite|esbuild|rollup|assemble|bazel)\b/],
];
const runners =
  /^(npm|pnpm|yarn|bun|node|deno|go|cargo|make|just|task|mise|rake|gradle|gradlew|mvn|dotnet|python3?|uv|poetry|pdm|hatch|mix|swift|zig|cmake|ninja|bazel|tsc|vue-tsc|vitest|jest|pytest|mocha|ava|eslint|biome|ruff|flake8|mypy|pyright|golangci-lint|rubocop|rspec|phpunit|composer|bundle|tox|nox|ctest|playwright|cypress|prettier|shellcheck|rustc|gcc|g\+\+|clang|javac|webpack|vite|esbuild|turbo|nx|lerna)$/;

export function readCommand(command: string): ShellCommand {
  const parts = partsOf(withoutHeredocs(command))
    .map(wordsOf)
    .filter((words) => words.length > 0);
  const subject = commitSubject(command);
  const undoes = undoneBy(parts);
  if (parts.some((words) => gitVerb(words) === "commit"))
    return { kind: "commit", name: "git commit", checks: [], alters: true, ...defined({ subject, undoes }) };
  const checks = parts.flatMap((words) => checkOf(words) ?? []);
  const [first] = checks;
  if (first) {
    const names = [...new Set(checks.map(({ name }) => name))];
    const classes = [...new Set(checks.map(({ is }) => is))];
    return { kind: "check", name: names.join(" && "), checks: classes, alters: false };
  }
  const doing =
    parts.find((words) => altering.test(words.join(" "))) ?? parts.find((words) => !isLook(words));
  const words = doing ?? parts.find(([program]) => program !== "cd") ?? parts[0] ?? [];
  const alters = altering.test(words.join(" "));
  return {
    kind: doing ? "run" : "look",
    name: nameOf(words),
    checks: [],
    alters,
    ...defined({ undoes }),
  };
}

function checkOf(words: readonly string[]): { readonly name: string; readonly is: CheckClass } | undefined {
  const program = words[0] ?? "";
  if (!runners.test(program)) return undefined;
  const said = words.filter((word) => !word.startsWith("-") || word === "--test").slice(0, 4);
  // A script of one's own is a check only if its name is: `node src/build.js` builds nothing that was promised.
  const meant = /^(node|python3?|deno|bun)$/.test(program) && !throughs.has(words[1] ?? "") ? program : "";
  if (meant !== "" && !words.includes("--test") && !words.includes("test")) return undefined;
  if (altering.test(words.join(" "))) return undefined;
  const text = said
    .filter((word) => !/[/\\]/.test(word))
    .join(" ")
    .replace("--test", "test");
  const found = classOf.find(([, pattern]) => pattern.test(text));
  return found && { name: nameOf(words), is: found[0] };
}

/** The subcommand of git, behind options of its own: `git -C dir -c name=value commit`. */
function gitVerb([program, ...rest]: readonly string[]) {
  if (program !== "git") return undefined;
  const at = rest.findIndex((word, index) => !word.startsWith("-") && !/^-[cC]$/.test(rest[index - 1] ?? ""));
  return rest[at] ?? "";
}

/**
 * `git checkout -- a`, `git restore a`, `git reset --hard`, `git revert c`. Going to a branch or another commit, and taking one side of
 * a merge, takes nothing back.
 */
function undoneBy(parts: readonly (readonly string[])[]): Undone | undefined {
  const [files, commits]: [string[], string[]] = [[], []];
  for (const words of parts) {
    const verb = gitVerb(words);
    const given = words.slice(words.indexOf(verb ?? "") + 1);
    const isMarked = given.includes("--");
    const named = (isMarked ? given.slice(given.indexOf("--") + 1) : given)
      .filter((word) => !word.startsWith("-"))
      .map((word) => word.replace(/^["']|["']$/g, ""));
    const isOther = given.some((word) =>
      /^--(?:theirs|ours|staged|abort|continue|skip|quit)$|^-[bB]$/.test(word),
    );
    if (isOther) continue;
    if (verb === "reset" && given.includes("--hard") && named.every((word) => word === "HEAD"))
      files.push(".");
    else if (verb === "restore" || (verb === "checkout" && isMarked)) files.push(...named);
    else if (verb === "checkout")
      files.push(...named.filter((word) => word === "." || /\.\w{1,8}$/.test(word)));
    else if (verb === "revert") commits.push(...named);
  }
  return files.length + commits.length === 0 ? undefined : { files, commits };
}

function isLook(words: readonly string[]) {
  const [program = "", verb = ""] = words;
  const said = gitVerb(words);
  if (said !== undefined) return gitLooks.has(said) || (said === "stash" && words.includes("list"));
  if (program === "sed") return words.some((word) => /^-\w*n/.test(word)) && !words.includes("-i");
  if (program === "gh") return words.some((word) => /^(view|list|status|diff|checks)$/.test(word));
  if (/^(docker|kubectl|podman)$/.test(program)) return /^(ps|logs|get|describe|images|inspect)$/.test(verb);
  if (/^(npm|pnpm|yarn|pip|cargo|go)$/.test(program))
    return /^(ls|list|view|outdated|why|show|tree|env|version)$/.test(verb);
  return looking.has(program);
}

/** The program and its subcommand. */
function nameOf(words: readonly string[]) {
  const [program = "", ...rest] = words;
  if (
    !/^(git|gh|npm|pnpm|yarn|bun|go|cargo|make|just|task|mise|docker|kubectl|uv|poetry|dotnet|mvn|gradle|gradlew|pip3?|brew|apt|apt-get|python3?|bundle|mix|terraform|helm|rake|deno|turbo|nx)$/.test(
      program,
    )
  )
    return program;
  const verbs: string[] = [];
  for (const word of rest) {
    if (word === "-m") continue;
    if (word.startsWith("-") || /[/\\=<>$"']/.test(word) || (verbs.length > 0 && /\./.test(word))) break;
    verbs.push(word);
    if (!throughs.has(word)) break;
  }
  return [program, ...verbs].join(" ");
}

/** Words of a part, from the program that is meant on; its path does not matter. */
function wordsOf(part: string) {
  const words = part.trim().split(/\s+/).filter(Boolean);
  while (words.length > 0) {
    const [word = ""] = words;
    if (!/^\w+=/.test(word) && !prefixes.has(word) && !/^[({!-]/.test(word) && !/^\d/.test(word)) break;
    words.shift();
  }
  const [program = "", ...rest] = words;
  return program === "" ? [] : [program.split("/").at(-1) ?? program, ...rest];
}

const heredoc = /<<-?\s*["']?(\w+)["']?[^\n]*\n[\s\S]*?\n\s*\1\b/g;
const withoutHeredocs = (command: string) => command.replace(heredoc, "");

/** Split at what joins commands, but not inside quotes. */
function partsOf(command: string) {
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (const [at, sign] of [...command].entries()) {
    if (quote !== "") {
      if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (/[;|\n]/.test(sign) || (sign === "&" && (command[at + 1] === "&" || part === ""))) {
      parts.push(part);
      part = "";
      continue;
    }
    part += sign;
  }
  return [...parts, part];
}

const messageFlag = /\bcommit\b[\s\S]*?\s-[a-zA-Z]*m[= ]?\s*/;

function commitSubject(command: string) {
  const flag = messageFlag.exec(command);
  if (!flag) return undefined;
  const rest = command.slice(flag.index + flag[0].length);
  const inHeredoc = /^["']?\$\(cat\s+<<-?\s*["']?\w+["']?\s*\n([\s\S]*)/.exec(rest)?.[1];
  const quoted =
    /^"((?:[^"\\]|\\.)*)"/.exec(rest)?.[1]?.replace(/\\(.)/g, "$1") ?? /^'([^']*)'/.exec(rest)?.[1];
  const message = inHeredoc ?? quoted ?? /^\S+/.exec(rest)?.[0];
  return message
    ?.split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
}
