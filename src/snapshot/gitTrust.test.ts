// Git is asked about untrusted repositories: programs that they name are planted everywhere, and none may run.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitIgnored } from "../home/git.ts";
import { gitState, trackedSnapshots } from "./git.ts";

let folder = "";
let repo = "";
let program = "";
const ran = (): boolean => existsSync(path.join(folder, "canary"));

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-git-"));
  repo = path.join(folder, "repo");
  program = path.join(folder, "planted");
  writeFileSync(program, `#!/bin/sh\ntouch '${path.join(folder, "canary")}'\nexit 1\n`);
  chmodSync(program, 0o755);
  makeRepository(repo);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(where: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgSign=false"];
  return execFileSync("git", ["-C", where, ...identity, ...args], { encoding: "utf8" });
}

/** Every file is under a filter and a diff driver, as a repository can have it for all its files. */
function makeRepository(where: string): void {
  execFileSync("git", ["init", "-q", "-b", "topic", where]);
  writeFileSync(path.join(where, ".gitattributes"), "* filter=planted diff=planted\n");
  writeFileSync(path.join(where, "a.txt"), "one\n");
  git(where, "add", ".");
  git(where, "commit", "-q", "-m", "first");
  touchAll(where);
}

/** Git compares the bytes of a file whose time has changed, and that is when it runs filters. */
function touchAll(where: string): void {
  for (const name of ["a.txt", ".gitattributes"])
    utimesSync(path.join(where, name), new Date(1_600_000_000_000), new Date(1_600_000_000_000));
}

const set = (key: string, value: string): void => void git(repo, "config", key, value);
const filterSection = (): string => `[filter "planted"]\n\tclean = ${program}\n`;

/** A clone that lacks an object, which git fetches when it is needed. */
function partialClone(url: string): void {
  set("extensions.partialClone", "origin");
  set("core.repositoryFormatVersion", "1");
  set("remote.origin.promisor", "true");
  set("remote.origin.url", url);
  set("protocol.ext.allow", "always");
  const tree = git(repo, "rev-parse", "HEAD^{tree}").trim();
  rmSync(path.join(repo, ".git", "objects", tree.slice(0, 2), tree.slice(2)), { force: true });
}

function nestedRepository(): string {
  const inner = path.join(repo, "inner");
  makeRepository(inner);
  git(repo, "-c", "advice.addEmbeddedRepo=false", "add", "inner");
  git(repo, "commit", "-q", "-m", "inner");
  touchAll(inner);
  return inner;
}

interface Planted {
  readonly by: string;
  readonly plant: () => void;
  /** Plain `git status` does not come by this one; other commands do. */
  readonly dormant?: true;
}

const planted: readonly Planted[] = [
  { by: "core.fsmonitor", plant: () => set("core.fsmonitor", program) },
  { by: "filter.clean", plant: () => set("filter.planted.clean", program) },
  { by: "filter.process", plant: () => set("filter.planted.process", program) },
  {
    by: "a required filter with capitals in its name",
    plant: () => {
      writeFileSync(path.join(repo, ".git", "info", "attributes"), "* filter=PlanTed.x\n");
      set("filter.PlanTed.x.clean", program);
      set("filter.PlanTed.x.required", "true");
    },
  },
  {
    by: "a filter whose name cannot be overridden",
    plant: () => {
      writeFileSync(path.join(repo, ".git", "info", "attributes"), "* filter=a=b\n");
      set("filter.a=b.clean", program);
    },
  },
  {
    by: "a file that the configuration includes",
    plant: () => {
      writeFileSync(path.join(repo, "more.cfg"), filterSection());
      set("include.path", "../more.cfg");
    },
  },
  {
    by: "a file that it includes for a branch",
    plant: () => {
      writeFileSync(path.join(repo, "more.cfg"), filterSection());
      set("includeIf.onbranch:topic.path", "../more.cfg");
    },
  },
  {
    by: "the configuration of a work tree",
    plant: () => {
      set("extensions.worktreeConfig", "true");
      appendFileSync(path.join(repo, ".git", "config.worktree"), filterSection());
    },
  },
  {
    by: "a hook for an index that is written",
    plant: () => {
      writeFileSync(path.join(repo, ".git", "hooks", "post-index-change"), readFileSync(program), {
        mode: 0o755,
      });
    },
  },
  {
    by: "core.hooksPath",
    plant: () => {
      mkdirSync(path.join(repo, "hooks"));
      writeFileSync(path.join(repo, "hooks", "post-index-change"), readFileSync(program), { mode: 0o755 });
      set("core.hooksPath", path.join(repo, "hooks"));
    },
  },
  {
    by: "a submodule's filter",
    plant: () => void git(nestedRepository(), "config", "filter.planted.clean", program),
  },
  {
    by: "a submodule's monitor",
    plant: () => void git(nestedRepository(), "config", "core.fsmonitor", program),
  },
  {
    by: "the other end of a partial clone",
    plant: () => {
      partialClone(path.join(folder, "elsewhere"));
      execFileSync("git", ["init", "-q", "--bare", path.join(folder, "elsewhere")]);
      set("remote.origin.uploadpack", program);
    },
  },
  { by: "an ext:: remote of a partial clone", plant: () => partialClone(`ext::${program}`) },
  {
    by: "core.sshCommand of a partial clone",
    plant: () => {
      partialClone("ssh://example.org/x");
      set("core.sshCommand", program);
    },
  },
  {
    by: "a bare repository in the work tree",
    plant: () => {
      const bare = path.join(folder, "bare");
      execFileSync("git", ["clone", "-q", "--bare", repo, bare]);
      execFileSync("git", ["-C", bare, "config", "core.bare", "false"]);
      execFileSync("git", ["-C", bare, "config", "core.worktree", bare]);
      execFileSync("git", ["-C", bare, "config", "core.fsmonitor", program]);
      repo = bare;
    },
  },
  { by: "diff.external", dormant: true, plant: () => set("diff.external", program) },
  { by: "diff.textconv", dormant: true, plant: () => set("diff.planted.textconv", program) },
  { by: "core.pager", dormant: true, plant: () => set("core.pager", program) },
  { by: "pager.status", dormant: true, plant: () => set("pager.status", program) },
  { by: "an alias", dormant: true, plant: () => set("alias.status", `!${program}`) },
  { by: "gpg.program", dormant: true, plant: () => set("gpg.program", program) },
  { by: "credential.helper", dormant: true, plant: () => set("credential.helper", program) },
  { by: "core.alternateRefsCommand", dormant: true, plant: () => set("core.alternateRefsCommand", program) },
];

describe("a program planted by a repository", () => {
  it.each(planted)("by $by does not run when git is asked for us", async ({ plant, dormant }) => {
    plant();
    await gitState(repo);
    await trackedSnapshots(repo);
    expect(ran()).toBe(false);
    // The same question without our care: otherwise this would show nothing.
    spawnSync("git", ["-C", repo, "status", "--porcelain"], { stdio: "ignore", timeout: 5_000 });
    expect(ran()).toBe(dormant === undefined);
  });

  it("named git and lying in the repository is not taken for git", async () => {
    writeFileSync(path.join(repo, "git"), readFileSync(program), { mode: 0o755 });
    const before = process.env.PATH;
    try {
      process.env.PATH = `.:${before}`;
      expect((await gitState(repo))?.branch).toBe("topic");
    } finally {
      process.env.PATH = before;
    }
    expect(ran()).toBe(false);
  });
});

describe("what git says", () => {
  it("is still the branch and what changed, under filters too", async () => {
    set("filter.planted.clean", program);
    writeFileSync(path.join(repo, "a.txt"), "two\n");
    writeFileSync(path.join(repo, "new.txt"), "x");
    const state = await gitState(repo);
    expect(state?.branch).toBe("topic");
    expect(state?.changed.map((file) => file.path).sort()).toEqual(["a.txt", "new.txt"]);
    expect(ran()).toBe(false);
  });

  it("says which paths are ignored, and runs nothing", () => {
    writeFileSync(path.join(repo, ".gitignore"), "*.log\n");
    for (const key of ["core.fsmonitor", "core.pager", "core.sshCommand", "filter.planted.clean"])
      set(key, program);
    expect(gitIgnored(repo, ["a.txt", "b.log", ":(top)x.log"], 5_000)).toEqual(
      new Set(["b.log", ":(top)x.log"]),
    );
    expect(ran()).toBe(false);
  });

  it("goes by the folder, whatever the caller's variables point at", async () => {
    process.env.GIT_DIR = path.join(folder, "nowhere");
    try {
      expect((await gitState(repo))?.branch).toBe("topic");
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});

describe("the sources", () => {
  it("run git in one place", () => {
    const sources = readdirSync(path.resolve(import.meta.dirname, ".."), {
      recursive: true,
      encoding: "utf8",
    })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .filter((name) =>
        /(?:spawn|spawnSync|execFile|execFileSync|exec|execSync)\(\s*["'`]git\b/.test(
          readFileSync(path.resolve(import.meta.dirname, "..", name), "utf8"),
        ),
      );
    expect(sources).toEqual([path.join("home", "git.ts")]);
  });
});
