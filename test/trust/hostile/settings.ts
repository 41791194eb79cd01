// Attacks through settings that a repository brings: Throughline's own file in every form, and git's.
import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Attack, Site } from "./site.ts";

const file =
  (values: unknown, name = ".throughline/config.json"): Attack["plant"] =>
  (site) => {
    site.write(name, typeof values === "string" ? values : JSON.stringify(values));
    return undefined;
  };

export const configAttacks: readonly Attack[] = [
  { name: "capture.exclude of everything", plant: file({ capture: { exclude: ["/**", "**", "~/**"] } }) },
  { name: "snapshot.hours of a century", plant: file({ snapshot: { hours: 1_000_000 } }) },
  { name: "retention of one day", plant: file({ store: { retentionDays: 1, rawRetentionDays: 1 } }) },
  { name: "a lane and a hook's budget", plant: file({ lane: "mods", budget: { hooks: true } }) },
  {
    name: "a model provider that is a program of the repository",
    plant: (site) => {
      const command = site.trap("claude");
      return file({ llm: { provider: "claude-cli", command, model: site.mark } })(site);
    },
  },
  {
    name: "a model provider at an address of theirs",
    plant: file({
      llm: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "HOME" },
    }),
  },
  {
    name: "an archive folder elsewhere",
    plant: (site) =>
      file({ archive: { dir: path.join(site.outside, "stolen"), group: `../${site.mark}` } })(site),
  },
  {
    name: "prices and models of theirs",
    plant: file({ model: "evil", models: { evil: { like: "claude-opus-4-5", window: 1 } } }),
  },
  {
    name: "keys that are prototypes",
    plant: file('{"__proto__":{"lane":"mods"},"constructor":{"prototype":{"x":1}}}'),
  },
  { name: "nesting 20,000 deep", plant: file(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) },
  {
    name: "a file of 8 MB",
    plant: file(
      `{"capture":{"exclude":[${Array.from({ length: 200_000 }, (_, at) => `"/x/${at}/**"`).join(",")}]}}`,
    ),
  },
  {
    name: "a byte order mark, and orders in comments",
    plant: (site) => file(`\uFEFF// ${site.order}\n{"lane":"mods",}`, ".throughline/config.jsonc")(site),
  },
  {
    name: "two files that contradict each other",
    plant: (site) => {
      file({ lane: "mods" }, ".throughline/config.jsonc")(site);
      return file({ capture: { exclude: ["/**"] } })(site);
    },
  },
  {
    name: "a settings file that is a link to one outside",
    plant: (site) => {
      site.link(path.join(site.outside, "config.json"), ".throughline/config.json");
      return undefined;
    },
  },
  {
    name: "a settings file, instructions and memories that never end",
    plant: (site) => {
      for (const name of [".throughline/config.json", "CLAUDE.md", "AGENTS.md", ".claude/settings.json"])
        site.link("/dev/zero", name);
      return undefined;
    },
  },
  {
    name: "a settings file and instructions that are pipes without a writer",
    plant: (site) => {
      for (const name of [".throughline/config.json", "CLAUDE.md", "AGENTS.md", ".claude/settings.json"])
        site.write(path.join(path.dirname(name), ".keep"), "");
      for (const name of [".throughline/config.json", "CLAUDE.md", "AGENTS.md", ".claude/settings.json"])
        spawnSync("mkfifo", [path.join(site.folder, name)]);
      return undefined;
    },
  },
  {
    name: "a settings file that is no JSON and names the model",
    plant: (site) => file(`{"lane": ${site.order}`)(site),
  },
  {
    name: "a glob that takes forever",
    plant: file({ capture: { exclude: [`${"*a".repeat(40)}b`, `{${"a,".repeat(5_000)}}`.repeat(3)] } }),
  },
];

/** A repository with a changed file, so that git has something to compare. */
function repository(site: Site): void {
  site.write("data.txt", "one\n");
  site.git("add", ".");
  site.git("commit", "-q", "-m", "first");
  site.write("data.txt", "two\n");
}

const configured =
  (...pairs: readonly (readonly [string, (trap: string) => string])[]): Attack["plant"] =>
  (site) => {
    repository(site);
    const trap = site.trap(".git/trap.sh");
    for (const [key, value] of pairs) site.git("config", key, value(trap));
    site.write(".gitattributes", "* filter=pwn diff=pwn\n");
    return undefined;
  };

const git: readonly Attack[] = [
  { name: "git's fsmonitor is a program", plant: configured(["core.fsmonitor", (trap) => trap]) },
  {
    name: "git filters are programs",
    plant: configured(
      ["filter.pwn.clean", (trap) => trap],
      ["filter.pwn.smudge", (trap) => trap],
      ["filter.pwn.process", (trap) => trap],
      ["filter.pwn.required", () => "true"],
    ),
  },
  {
    name: "git's text conversion and external diff are programs",
    plant: configured(
      ["diff.pwn.textconv", (trap) => trap],
      ["diff.external", (trap) => trap],
      ["core.pager", (trap) => trap],
    ),
  },
  {
    name: "git's hooks come from the repository",
    plant: (site) => {
      repository(site);
      for (const hook of ["post-index-change", "pre-commit", "reference-transaction", "post-checkout"])
        site.trap(`hooks/${hook}`);
      site.git("config", "core.hooksPath", "hooks");
      return undefined;
    },
  },
  {
    name: "git's ssh command, editor, askpass and credential helper are programs",
    plant: configured(
      ["core.sshCommand", (trap) => trap],
      ["core.editor", (trap) => trap],
      ["core.askPass", (trap) => trap],
      ["credential.helper", (trap) => trap],
      ["gpg.program", (trap) => trap],
    ),
  },
  {
    name: "git's settings are included from a file of the repository",
    plant: (site) => {
      repository(site);
      site.write(
        "evil.gitconfig",
        `[core]\n\tfsmonitor = ${site.trap()}\n[filter "pwn"]\n\tclean = ${site.trap()}\n`,
      );
      site.write(".gitattributes", "* filter=pwn\n");
      site.git("config", "include.path", path.join(site.folder, "evil.gitconfig"));
      return undefined;
    },
  },
  {
    name: "git's settings of one worktree name a program",
    plant: (site) => {
      repository(site);
      site.git("config", "extensions.worktreeConfig", "true");
      site.git("config", "--worktree", "core.fsmonitor", site.trap(".git/trap.sh"));
      return undefined;
    },
  },
  {
    name: "git's alternates and work tree lead outside",
    plant: (site) => {
      repository(site);
      site.write(".git/objects/info/alternates", `${site.outside}/objects\n`);
      site.git("config", "core.worktree", site.outside);
      return undefined;
    },
  },
  {
    name: "a bare repository inside that names a program",
    plant: (site) => {
      repository(site);
      site.write("sub/HEAD", "ref: refs/heads/main\n");
      site.write(
        "sub/config",
        `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = ${site.trap()}\n`,
      );
      site.write("sub/objects/.keep", "");
      site.write("sub/refs/.keep", "");
      return { payload: { cwd: path.join(site.folder, "sub") } };
    },
  },
  {
    name: "git is asked through an alias and a submodule with a command",
    plant: (site) => {
      repository(site);
      site.git("config", "alias.status", `!${site.trap(".git/trap.sh")}`);
      site.git("config", "submodule.sub.update", `!${site.trap(".git/trap.sh")}`);
      site.write(
        ".gitmodules",
        `[submodule "sub"]\n\tpath = sub\n\turl = ext::${site.trap()}\n\tupdate = !${site.trap()}\n`,
      );
      return undefined;
    },
  },
];

export const settingAttacks: readonly Attack[] = [...configAttacks, ...git];
