// Both languages have every text.
import { describe, expect, it } from "vitest";
import { texts } from "./index.ts";

/** Placeholder for the arguments of a text. */
const GIVEN = "\u0001";

type Tree = { readonly [key: string]: unknown };

function shapeOf(tree: Tree, path = ""): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "object" && value !== null
      ? shapeOf(value as Tree, `${path}${key}.`)
      : [`${path}${key}: ${typeof value}`],
  );
}

function textsOf(tree: Tree): string[] {
  return Object.values(tree).flatMap((value) =>
    typeof value === "object" && value !== null
      ? textsOf(value as Tree)
      : [typeof value === "function" ? String(value(GIVEN, GIVEN, GIVEN)) : String(value)],
  );
}

describe("the words of the page", () => {
  it("have the same keys in both languages", () => {
    expect(shapeOf(texts.zh)).toEqual(shapeOf(texts.en));
  });

  it("are never empty", () => {
    for (const tree of Object.values(texts)) {
      expect(textsOf(tree).filter((text) => text.trim() === "")).toEqual([]);
    }
  });

  it("are in Chinese where they claim to be, but for names", () => {
    const names = new Set(["Throughline", "tokens", "token", "Markdown", "EN"]);
    const isPlain = (text: string): boolean => !/\p{L}/u.test(text);
    const untranslated = textsOf(texts.zh).filter(
      (text) => !/\p{Script=Han}/u.test(text) && !isPlain(text) && !names.has(text),
    );
    expect(untranslated).toEqual([]);
  });
});
