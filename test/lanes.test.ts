// The table of lanes and levels: every test that it leans on is there.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const page = readFileSync(path.join(root, "docs", "lanes.md"), "utf8");

const filesBelow = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(test|e2e)\.ts$/.test(name))
    .map((name) => readFileSync(path.join(root, folder, name), "utf8"));

it("leans on tests that are there", () => {
  const sources = ["test/e2e", "test/mods", "src/mods"].flatMap(filesBelow).join("\n");
  const named = [...page.matchAll(/\| _([^_|]+)_ +\|/g)].map(([, title = ""]) => title);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((title) => !sources.includes(`"${title}"`))).toEqual([]);
});

const requests = (): string[] => {
  const protocol = readFileSync(path.join(root, "src/mods/protocol.ts"), "utf8");
  const [, listed = ""] = protocol.split("export interface ModsRequests {");
  return [...(listed.split("\n}")[0] ?? "").matchAll(/^ {2}readonly (\w+): /gm)].map(([, op = ""]) => op);
};

it("lists every request that the worker knows", () => {
  const listed = [...page.matchAll(/^\| `(\w+)` +\| [^|]*\| `/gm)].map(([, op = ""]) => op);
  expect(requests()).not.toEqual([]);
  expect(listed).toEqual(requests());
});

it("has a deadline in the mod for every request", () => {
  const mod = readFileSync(path.join(root, "plugin/mods/hooks/worker.ts"), "utf8");
  const [, deadlines = ""] = mod.split("const timeouts = {");
  const named = [...(deadlines.split("\n}")[0] ?? "").matchAll(/^ {2}(\w+): /gm)].map(([, op = ""]) => op);
  expect(named).toEqual(requests());
});
