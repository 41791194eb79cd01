// docs/api has every name that the entry points export, with what its comment says. `npm run docs:api` brings it up to date.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { isObject, type JsonObject } from "../src/lib/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

const pages = {
  index: "src/index.ts",
  pipeline: "src/pipeline/index.ts",
  memory: "src/memdir/index.ts",
  vault: "src/vault/index.ts",
  transcript: "src/transcript/index.ts",
  sdk: "src/sdk/index.ts",
};

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const nameOf = (value: unknown): string => (isObject(value) ? String(value.name) : "");

function exportedNames(file: string): string[] {
  const { body } = parseAst(read(file), { lang: "ts" });
  return objects(body)
    .filter(({ type }) => type === "ExportNamedDeclaration")
    .flatMap(({ specifiers, declaration }) => [
      ...objects(specifiers).map(({ exported }) => nameOf(exported)),
      ...(isObject(declaration)
        ? [nameOf(declaration.id), ...objects(declaration.declarations).map(({ id }) => nameOf(id))]
        : []),
    ])
    .filter((name) => name !== "");
}

/** What a page says of each name: the text below its heading. */
function entriesOf(page: string): ReadonlyMap<string, string> {
  const parts = read(`docs/api/${page}.md`)
    .replaceAll("\\_", "_")
    .split(/^#{2,3} (?=\w+(?:\(\))?$)/m);
  return new Map(parts.slice(1).map((part) => [/^\w+/.exec(part)?.[0] ?? "", part]));
}

describe.each(Object.entries(pages))("docs/api/%s.md", (page, source) => {
  it("has every exported name, and no name without a description", () => {
    const entries = entriesOf(page);
    const names = exportedNames(source);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !entries.has(name))).toEqual([]);
    // A line of prose stands below the heading, or the name is documented on another page.
    const isDescribed = (name: string) =>
      /^[A-Z`][^\n|>]*\w/m.test((entries.get(name) ?? "").replace(/^.*\n/, ""));
    expect(names.filter((name) => !isDescribed(name))).toEqual([]);
  });
});

it("the reference is linked from the table of contents", () => {
  expect(read("docs/README.md")).toContain("(api/README.md)");
});
