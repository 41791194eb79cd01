// Holds docs/seeds.md: every requirement names a test that exists, or says in one word why it is open.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { isObject, type JsonObject } from "../src/lib/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const page = readFileSync(path.join(root, "docs/seeds.md"), "utf8");

interface Row {
  readonly id: string;
  readonly requirement: string;
  /** `file › part of a test's name`, or `open: why`. */
  readonly held: string;
}

const rows: readonly Row[] = page.split("\n").flatMap((line) => {
  const [, id = "", requirement = "", held = "", end] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return end === "" && /^\d{3}-/.test(id) ? [{ id, requirement, held }] : [];
});
const isOpen = ({ held }: Row): boolean => held.startsWith("open");

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [];

/** `it` of `it.each([…])("…")`, and of `describe("…")`. */
function calledBy(callee: unknown): string {
  if (!isObject(callee)) return "";
  return typeof callee.name === "string" ? callee.name : calledBy(callee.object ?? callee.callee);
}

const textsOf = (node: JsonObject): string[] => {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "TemplateLiteral")
    return [
      objects(node.quasis)
        .map(({ value }) => (isObject(value) ? String(value.cooked) : ""))
        .join("%s"),
    ];
  return [];
};

function literalsIn(node: unknown): string[] {
  return objects(node).flatMap((each) => [
    ...textsOf(each),
    ...Object.values(each).flatMap((value) => (typeof value === "object" ? literalsIn(value) : [])),
  ]);
}

/** Names of tests and groups, and the cases of a table. */
function namesIn(node: unknown): string[] {
  return objects(node).flatMap((each) => {
    const isTest = each.type === "CallExpression" && /^(?:it|test|describe)$/.test(calledBy(each.callee));
    const args = isTest ? objects(each.arguments) : [];
    const isTable =
      isTest &&
      isObject(each.callee) &&
      isObject(each.callee.property) &&
      each.callee.property.name === "each";
    return [
      ...(isTable ? literalsIn(args[0]) : args.slice(0, 1).flatMap(textsOf)),
      ...Object.values(each).flatMap((value) => (typeof value === "object" ? namesIn(value) : [])),
    ];
  });
}

const known = new Map<string, readonly string[]>();
function testNames(file: string): readonly string[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const names = namesIn(parseAst(readFileSync(path.join(root, file), "utf8"), { lang: "ts" }).body);
  known.set(file, names);
  return names;
}

function problemOf({ held }: Row): string | undefined {
  const [file = "", part = ""] = held.replaceAll("`", "").split(" › ");
  if (!existsSync(path.join(root, file))) return `there is no ${file}`;
  if (part === "") return "no test is named";
  return testNames(file).some((name) => name.includes(part)) ? undefined : `${file} has no test ${part}`;
}

describe("docs/seeds.md", () => {
  it("names for every requirement a test that exists, or one word why it is open", () => {
    const problems = rows.flatMap((row) => {
      const problem = isOpen(row)
        ? /^open: [\w-]+$/.test(row.held)
          ? undefined
          : "say in one word why it is open"
        : problemOf(row);
      return problem === undefined ? [] : [`${row.id}: ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it("numbers the requirements of each of the five descriptions, none twice", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(rows.filter(({ requirement }) => requirement.length < 8)).toEqual([]);
    for (const seed of ["000", "001", "002", "003", "004"])
      expect(ids.filter((id) => id.startsWith(`${seed}-`)).length, seed).toBeGreaterThan(20);
  });

  it("says how many there are, and how many are open", () => {
    expect(page).toContain(`${rows.length} requirements, ${rows.filter(isOpen).length} open`);
  });

  it("would notice a test that was renamed", () => {
    const held = "test/seeds.test.ts › would notice a test that was renamed";
    expect(problemOf({ id: "", requirement: "", held })).toBeUndefined();
    expect(problemOf({ id: "", requirement: "", held: `${held} again` })).toMatch(/has no test/);
    expect(problemOf({ id: "", requirement: "", held: "test/gone.test.ts › x" })).toMatch(/there is no/);
  });
});
