// The yardstick of the retention bench is not the product's own: neither imports the other.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { namedIn, neededOf } from "../bench/names.ts";

describe("the names of the retention bench", () => {
  it("are found without a line of the product", () => {
    expect(readFileSync("bench/names.ts", "utf8")).not.toMatch(
      /^\s*import\b|\bimport\(|\brequire\(|\bfrom "/m,
    );
  });

  it("are not used by the product", () => {
    const sources = ["src", "plugin", "viewer/src"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:tsx?|mjs|js)$/.test(name))
        .map((name) => path.join(folder, name)),
    );
    expect(sources.length).toBeGreaterThan(100);
    const users = sources.filter((file) =>
      /from "[^"]*\bbench\/|bench\/names/.test(readFileSync(file, "utf8")),
    );
    expect(users).toEqual([]);
  });

  it("are long names, shorter ones, paths, ids and lines", () => {
    const found = namedIn("   12→  const refreshSessionToken = makeToken(a1b2c3d) // in src/auth/token.ts:4");
    expect([...found["long names"]]).toEqual(["refreshSessionToken"]);
    expect([...found["names of 8–13"]]).toEqual(["makeToken"]);
    expect([...found.paths]).toEqual(["src/auth/token.ts"]);
    expect([...found.ids]).toEqual(["a1b2c3d"]);
    expect([...found["lines of the next edits"]]).toEqual([
      "const refreshSessionToken = makeToken(a1b2c3d) // in src/auth/token.ts:4",
    ]);
  });

  it("are needed when they were known before", () => {
    const known = namedIn("const refreshSessionToken = 1;");
    const needed = neededOf(
      ["refreshSessionToken brandNewFunctionName"],
      ["const refreshSessionToken = 1;", "a line not known"],
      known,
    );
    expect([...needed["long names"]]).toEqual(["refreshSessionToken"]);
    expect([...needed["lines of the next edits"]]).toEqual(["const refreshSessionToken = 1;"]);
  });
});
