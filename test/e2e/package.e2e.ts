// The packed tarball, by the tools with which others judge packages: publint, and arethetypeswrong for its types; and its reference.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cacheFolder, installOnce } from "./claude.ts";

const checkers = { publint: "0.3.25", "@arethetypeswrong/cli": "0.18.5" };
const programs = { publint: "publint", "@arethetypeswrong/cli": "attw" };
type Checker = keyof typeof checkers;

const folder = mkdtempSync(path.join(tmpdir(), "throughline-package-"));
let tarball = "";

beforeAll(() => {
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { stdio: "ignore" });
  tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judge(checker: Checker, ...args: string[]) {
  const place = path.join(cacheFolder(), `${programs[checker]}-${checkers[checker]}`);
  const programIn = (installed: string) => path.join(installed, "node_modules", ".bin", programs[checker]);
  const problem = await installOnce({
    folder: place,
    wanted: `${checker}@${checkers[checker]}`,
    proof: programIn,
  });
  expect(problem).toBeUndefined();
  const { status, stdout } = spawnSync(programIn(place), [...args, tarball], { encoding: "utf8" });
  return { status, stdout };
}

it("has a manifest that publint has nothing to say about", async () => {
  const { status, stdout } = await judge("publint", "--strict");
  expect(stdout).toContain("All good!");
  expect(status).toBe(0);
});

// The oldest Node that is supported loads ES modules with `require`, so there is one build for both.
it("has types that resolve from every entry point", async () => {
  const { status, stdout } = await judge("@arethetypeswrong/cli", "--profile", "esm-only");
  expect(stdout).toContain("throughline/pipeline");
  expect({ status, stdout: status === 0 ? "" : stdout }).toEqual({ status: 0, stdout: "" });
});

it("has a reference of its entry points that is current", () => {
  const fresh = path.join(folder, "api");
  const { status, stderr } = spawnSync(process.execPath, ["scripts/apiReference.mjs", fresh], {
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  for (const name of readdirSync(fresh))
    expect(readFileSync(path.join("docs", "api", name), "utf8"), "run npm run docs:api").toBe(
      readFileSync(path.join(fresh, name), "utf8"),
    );
});
