// Runs git in an untrusted repository: no program that the repository names is started, and no remote is contacted.
import { execFile, spawnSync } from "node:child_process";
import path from "node:path";

const MOST_GIT_OUTPUT = 4 * 1024 * 1024;

/**
 * Settings of a repository that would make a reading command start a program, each overridden:
 * the file system monitor, hooks (an index that is written runs one), a bare repository that lies in the work tree with a
 * configuration of its own, pagers, signatures, and diff drivers.
 */
const overrides = [
  "core.fsmonitor=false",
  `core.hooksPath=${process.platform === "win32" ? "NUL" : "/dev/null"}`,
  "safe.bareRepository=explicit",
  "core.pager=cat",
  "core.alternateRefsCommand=",
  "core.sshCommand=false",
  "credential.helper=",
  "protocol.allow=never",
  "diff.external=",
  "log.showSignature=false",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
  "core.quotePath=false",
];

/** Without the GIT_ variables of the caller, which could point at another repository or name programs. */
function environment(): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(rest),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // An empty list allows no transport: a partial clone would fetch what it lacks, through programs it names.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
  };
}

const commandLine = (folder: string, settings: readonly string[], args: readonly string[]) => [
  ...["--no-pager", "-C", folder],
  ...settings.flatMap((one) => ["-c", one]),
  ...args,
];

function optionsWithin(withinMs: number) {
  return {
    // Windows looks for the program in the current folder first: that must not be the repository.
    cwd: path.dirname(process.execPath),
    env: environment(),
    timeout: withinMs,
    killSignal: "SIGKILL",
    maxBuffer: MOST_GIT_OUTPUT,
    windowsHide: true,
  } as const;
}

function run(folder: string, settings: readonly string[], args: readonly string[], withinMs: number) {
  return new Promise<string | undefined>((resolve) => {
    execFile("git", commandLine(folder, settings, args), optionsWithin(withinMs), (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}

/**
 * The paths below a folder, of those given, that git's ignore rules exclude, whether a file is there or not; a folder ends
 * with a slash. Undefined where there is no repository, no git, or no answer in time. Reads rules alone, and so runs no filter.
 */
export function gitIgnored(
  folder: string,
  paths: readonly string[],
  withinMs: number,
): ReadonlySet<string> | undefined {
  const args = ["check-ignore", "--no-index", "--stdin", "-z"];
  const { status, stdout } = spawnSync("git", commandLine(folder, overrides, args), {
    ...optionsWithin(withinMs),
    input: paths.join("\0"),
    encoding: "utf8",
  });
  // 1 says that none is ignored.
  return status === 0 || status === 1 ? new Set(stdout.split("\0").filter((path) => path !== "")) : undefined;
}

/** `-c` cannot parse every driver name; others are refused. */
const PLAIN_NAME = /^[\w. -]+$/;

/** Settings that switch off every filter that any configuration file in effect defines; undefined when one cannot be. */
async function withoutFilters(folder: string, withinMs: number) {
  const listed = await run(folder, overrides, ["config", "--list", "--name-only", "-z"], withinMs);
  if (listed === undefined) return undefined;
  const drivers = listed.split("\0").flatMap((key) => /^filter\.([\s\S]+)\.[^.]+$/i.exec(key)?.[1] ?? []);
  const names = [...new Set(drivers)];
  if (!names.every((name) => PLAIN_NAME.test(name))) return undefined;
  const off = ["clean=", "smudge=", "process=", "required=false"];
  return names.flatMap((name) => off.map((setting) => `filter.${name}.${setting}`));
}

/**
 * The output of a command that only reads. Undefined where there is no repository, no git, no answer in time, or a
 * filter that cannot be switched off.
 */
export async function runGit(folder: string, args: readonly string[], withinMs: number) {
  const filters = await withoutFilters(folder, withinMs);
  return filters && run(folder, [...overrides, ...filters], args, withinMs);
}
