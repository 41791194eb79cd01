// The README's own lines, typed on a machine that has nothing of ours: an empty home with recorded sessions in it.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Registry, startRegistry } from "./registry.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");

/** The lines of the shell blocks in a text, without comments. */
const typedIn = (text: string): string[] =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""));

/** Every command that its sentences and tables name, once. */
const namedIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`(throughline [^`]+)`/g)].map(([, command = ""]) => command)),
];

/** The pages of this repository that a text links to. */
const linkedIn = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, file = ""]) => file);

let folder = "";
let home = "";
let registry: Registry;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tlr-"));
  const tarballs = path.join(folder, "tarballs");
  mkdirSync(tarballs);
  registry = await startRegistry(tarballs);
}, 120_000);
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  home = mkdtempSync(path.join(folder, "home-"));
  const project = path.join(home, ".claude", "projects", "-home-me-app");
  mkdirSync(project, { recursive: true });
  cpSync(
    path.join(root, "sample", "session.jsonl"),
    path.join(project, "5a3b1e70-2c4d-4f60-9b1a-7d2e8c90aa11.jsonl"),
  );
});

interface Outcome {
  readonly line: string;
  readonly code: number | null;
  readonly out: string;
}

/** Types a line into a shell whose only home is the empty one. */
function type(line: string): Promise<Outcome> {
  const prefix = path.join(home, "npm");
  const env = {
    HOME: home,
    PATH: `${path.join(prefix, "bin")}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    NO_COLOR: "1",
    // Whatever opens pages opens none.
    BROWSER: "true",
    npm_config_prefix: prefix,
    npm_config_registry: registry.url,
    npm_config_cache: path.join(home, "npm-cache"),
    npm_config_yes: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
  mkdirSync(path.join(prefix, "lib"), { recursive: true });
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", line], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        out += text;
      });
    child.once("close", (code) => resolve({ line, code, out }));
  });
}

/** Ends what a line may have started. */
const end = (): Promise<Outcome> =>
  type(`${process.execPath} ${path.join(root, "dist", "cli.js")} worker stop`);

const isInHome = (file: string): boolean => existsSync(path.join(home, file));

const settings = (): string => readFileSync(path.join(home, ".claude", "settings.json"), "utf8");

/** What another test types: from a clone, and by the real Claude Code. */
const typedElsewhere: Readonly<Record<string, string>> = {
  "npm start": "start.test.ts",
  "npm test": "../scripts/test.mjs",
  "claude plugin marketplace add FOLDER-OF-A-CLONE && claude plugin install throughline@throughline":
    "e2e/plugin.e2e.ts",
};

/** How a command that asks, or stays until it is ended, is typed here. */
const asTyped: Readonly<Record<string, string>> = {
  "throughline install": "throughline install --yes",
  "throughline install --agent all": "throughline install --agent all --yes",
  "throughline replay": "throughline replay ~/.claude/projects",
  "throughline open": "throughline open --print",
  "throughline mcp": "throughline mcp < /dev/null",
  "throughline run claude": "throughline run true",
  "throughline config trust": "throughline config trust --help",
  "throughline server": "throughline server --help",
  "throughline forget": "throughline forget --project .",
  "throughline uninstall": "throughline uninstall --yes",
};

describe("the README", () => {
  const lines = typedIn(readme);
  const install = lines.filter((line) => /^(npm install -g|npx) /.test(line));
  const built = lines.filter((line) => line.startsWith("node dist/cli.js "));

  it("begins with lines that install", () => {
    expect(readme.indexOf("## Install")).toBeLessThan(readme.indexOf("## What you get"));
    expect(lines.filter((line) => line.includes("throughline install")).length).toBeGreaterThanOrEqual(3);
  });

  it("has no line that is typed in no test, and the same lines in Chinese", () => {
    const others = Object.keys(typedElsewhere);
    expect(lines).toEqual([
      ...["npm install && npm run build && npm link", "throughline install"],
      ...[...install, others[2]],
      ...others.slice(0, 2),
      ...built,
    ]);
    expect([install.length, built.length]).toEqual([2, 3]);
    expect(typedIn(readFileSync(path.join(root, "README.zh-CN.md"), "utf8"))).toEqual(lines);
    for (const file of Object.values(typedElsewhere))
      expect(existsSync(path.join(root, "test", file)), file).toBe(true);
  });

  it("links to pages that are there", () => {
    for (const file of linkedIn(readme)) expect(existsSync(path.join(root, file)), file).toBe(true);
  });

  it("installs today, from a clone that is built, and every command that it names runs", async () => {
    expect(await type(`cd ${root} && npm link`)).toMatchObject({ code: 0 });
    const named = namedIn(readme);
    expect(named.length).toBeGreaterThan(10);
    const last = "throughline uninstall";
    for (const command of ["throughline install", ...named.filter((one) => one !== last), last])
      expect(await type(asTyped[command] ?? command)).toMatchObject({
        line: asTyped[command] ?? command,
        code: 0,
      });
    expect(existsSync(path.join(home, ".claude", "settings.json"))).toBe(false);
  }, 120_000);

  it.each(install)(
    "installs after publication: %s",
    async (line) => {
      expect(await type(line.replaceAll("throughline install", "throughline install --yes"))).toMatchObject({
        code: 0,
      });
      expect(settings()).toContain(line.startsWith("npx") ? "hooks/answer.cjs" : path.join(home, "npm"));
      expect(await end()).toMatchObject({ code: expect.toBeOneOf([0, 3]) });
    },
    120_000,
  );

  it("shows what it would do with the sessions that are there, and writes nothing but the page", async () => {
    const said: string[] = [];
    for (const line of built) {
      const typed = line.replace(
        "node dist/cli.js",
        `${process.execPath} ${path.join(root, "dist", "cli.js")}`,
      );
      const outcome = await type(typed);
      expect(outcome).toMatchObject({ code: 0, line: typed });
      said.push(outcome.out);
    }
    expect(said.join("\n")).toContain("1 new session of Mar 12, 2026");
    expect(readFileSync(path.join(home, "replay.html"), "utf8")).toContain("<svg");
    expect(
      [".claude/settings.json", ".config/throughline", ".local/share/throughline"].filter(isInHome),
    ).toEqual([]);
  }, 120_000);
});
