// The README's own lines, typed on a machine that has nothing of ours: an empty home with recorded sessions in it.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Registry, startRegistry } from "./registry.ts";

const root = path.resolve(import.meta.dirname, "../..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");

/** The lines of the shell blocks in a section, without comments. */
function typedIn(section: string): string[] {
  const [, text = ""] = new RegExp(`\n## ${section}\n([\\s\\S]*?)\n## `).exec(readme) ?? [];
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""));
}

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
    path.join(project, "6b1f4c2e-1111-4222-8333-944455556666.jsonl"),
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

const settings = (): string => readFileSync(path.join(home, ".claude", "settings.json"), "utf8");

describe("the README", () => {
  const install = typedIn("Install");

  it("begins with lines that install", () => {
    expect(readme.indexOf("## Install")).toBeLessThan(readme.indexOf("## What you get"));
    expect(install.filter((line) => line.includes("throughline install")).length).toBeGreaterThanOrEqual(3);
  });

  it("installs today, from a clone that is built", async () => {
    const [line = ""] = install;
    expect(line).toBe("npm install && npm run build && npm link");
    expect(await type(`cd ${root} && npm link`)).toMatchObject({ code: 0 });
    expect(await type(`${install[1]} --yes`)).toMatchObject({ line: "throughline install --yes", code: 0 });
    expect(await end()).toMatchObject({ code: expect.toBeOneOf([0, 3]) });
  }, 120_000);

  it.each(install.filter((line) => /^(npm install -g|npx) /.test(line)))(
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

  it("shows, imports, installs and opens what it says, over the sessions that are there", async () => {
    for (const line of typedIn("Ten minutes with your own sessions")) {
      const typed = line
        .replace("node dist/cli.js", `${process.execPath} ${path.join(root, "dist", "cli.js")}`)
        .replace(/install$/, "install --yes");
      expect(await type(typed)).toMatchObject({ code: 0, line: typed });
    }
    expect(readFileSync(path.join(home, "replay.html"), "utf8")).toContain("<svg");
    expect(settings()).toContain("answer.cjs");
    expect(await end()).toMatchObject({ code: 0 });
  }, 120_000);
});
