// Keys: what each does, and that none does anything while the reader types.
import { describe, expect, it } from "vitest";
import { pageKeys, parseKey } from "./keyboard.ts";
import { pageNames } from "./route.ts";

const stroke = (key: string, more: { isModified?: boolean; isTyping?: boolean } = {}) => ({
  key,
  isModified: false,
  isTyping: false,
  ...more,
});

describe("keys", () => {
  it.each([
    ["/", "search"],
    ["?", "help"],
    ["j", "next"],
    ["k", "previous"],
    ["Escape", "close"],
  ])("%s is %s", (key, kind) => {
    expect(parseKey(stroke(key), false)).toEqual({ command: { kind }, isWaiting: false });
  });

  it("reach every page with g and a letter", () => {
    expect(Object.values(pageKeys).toSorted()).toEqual([...pageNames].toSorted());
    for (const [key, page] of Object.entries(pageKeys)) {
      const { isWaiting } = parseKey(stroke("g"), false);
      expect(parseKey(stroke(key), isWaiting).command).toEqual({ kind: "page", page });
      expect(parseKey(stroke(key), false).command?.kind).not.toBe("page");
    }
  });

  it("wait for one letter and no longer", () => {
    expect(parseKey(stroke("x"), true)).toEqual({ isWaiting: false });
    expect(parseKey(stroke("j"), true).command).toEqual({ kind: "next" });
  });

  it("do nothing while the reader types, except that Escape leaves", () => {
    for (const key of ["/", "?", "j", "k", "g"]) {
      expect(parseKey(stroke(key, { isTyping: true }), false).command).toBeUndefined();
    }
    expect(parseKey(stroke("Escape", { isTyping: true }), false).command).toEqual({ kind: "close" });
  });

  it("open the palette with a modifier, from a field too", () => {
    const pressed = parseKey(stroke("k", { isModified: true, isTyping: true }), false);
    expect(pressed.command).toEqual({ kind: "palette" });
  });

  it("leave the browser its own", () => {
    for (const key of ["/", "j", "Escape"]) {
      expect(parseKey(stroke(key, { isModified: true }), true)).toEqual({ isWaiting: false });
    }
  });
});
