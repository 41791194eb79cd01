// The checks before a version is published, and the workflow that runs the suites on other platforms.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "./fixtures/transcript/session.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = temporaryFolder();
const needed = [
  "dist/cli.js",
  "dist/worker.js",
  "dist/viewer/index.html",
  "plugin/hooks/run.sh",
  "plugin/mods/hooks/throughline.js",
  "README.md",
  "LICENSE",
];

interface Check {
  readonly name: string;
  readonly problem?: string;
}

const released = {
  "package.json": { version: "0.2.0", repository: {}, homepage: "https://example.org", bugs: {} },
  "package-lock.json": { version: "0.2.0" },
  "plugin/.claude-plugin/plugin.json": { version: "0.2.0" },
  "plugin/mods/.claude-plugin/plugin.json": { version: "0.2.0" },
};
const changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- A line\n";

/** What is wrong with a release, by the name of the check. */
async function problems(
  changes: Record<string, unknown> = {},
  log = changelog,
  files = needed,
  changed: string[] = [],
) {
  for (const [name, content] of Object.entries({ ...released, ...changes }))
    folder.writeBytes(JSON.stringify(content), name);
  folder.writeBytes(log, "CHANGELOG.md");
  const { releaseChecks } = await import(path.join(root, "scripts/release.mjs"));
  const checks: Check[] = releaseChecks({ folder: folder.path, version: "0.2.0", files, changed });
  return checks.flatMap(({ problem }) => problem ?? []);
}

describe("a release", () => {
  it("is ready where all checks pass", async () => {
    expect(await problems()).toEqual([]);
  });

  it("has one version everywhere", async () => {
    expect(await problems({ "package.json": { ...released["package.json"], version: "0.1.0" } })).toEqual([
      expect.stringContaining("npm version 0.2.0"),
    ]);
    expect(await problems({ "plugin/.claude-plugin/plugin.json": { version: "0.1.0" } })).toEqual([
      expect.stringContaining("plugin/.claude-plugin/plugin.json"),
    ]);
  });

  it("has its changes under its version and a date", async () => {
    const unreleased = "## [Unreleased]\n\n- A line\n";
    expect(await problems({}, unreleased)).toHaveLength(2);
    expect(await problems({}, changelog.replace("[Unreleased]\n", "[Unreleased]\n\n- More\n"))).toEqual([
      expect.stringContaining("[Unreleased]"),
    ]);
  });

  it("says where it comes from", async () => {
    expect(await problems({ "package.json": { version: "0.2.0" } })).toEqual([
      expect.stringContaining("repository, homepage, bugs"),
    ]);
  });

  it("ships what an install needs and no test", async () => {
    expect(await problems({}, changelog, [...needed.slice(1), "src/a.ts", "docs/x.test.ts"])).toEqual([
      expect.stringContaining("dist/cli.js"),
      expect.stringContaining("src/a.ts, docs/x.test.ts"),
    ]);
  });

  it("is made from what is committed", async () => {
    expect(await problems({}, changelog, needed, [" M src/a.ts"])).toEqual([
      expect.stringContaining("src/a.ts"),
    ]);
  });
});

it("the workflow runs on three platforms, on every Node version that package.json allows, by the scripts that are there", () => {
  const { jobs } = parse(readFileSync(path.join(root, ".github/workflows/ci.yml"), "utf8"));
  expect(jobs.unit.strategy.matrix).toEqual({
    os: ["ubuntu-latest", "macos-latest", "windows-latest"],
    node: [20, 22, 24],
  });
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const commands: string[] = Object.values<{ steps: { run?: string }[] }>(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => /^npm (?:run )?(\S+)/.exec(run ?? "")?.[1] ?? []),
  );
  expect(commands).toEqual(["test", "test:e2e"]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(commands));
});
