// Keys: what each does, and that none does anything while the reader types.
import { describe, expect, it } from "vitest";
import { pageKeys, readStroke } from "./keyboard.ts";
import { pages } from "./route.ts";

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
    expect(readStroke(stroke(key), false)).toEqual({ command: { kind }, isWaiting: false });
  });

  it("reach every page with g and a letter", () => {
    expect(Object.values(pageKeys).toSorted()).toEqual([...pages].toSorted());
    for (const [key, page] of Object.entries(pageKeys)) {
      const { isWaiting } = readStroke(stroke("g"), false);
      expect(readStroke(stroke(key), isWaiting).command).toEqual({ kind: "page", page });
      expect(readStroke(stroke(key), false).command?.kind).not.toBe("page");
    }
  });

  it("wait for one letter and no longer", () => {
    expect(readStroke(stroke("x"), true)).toEqual({ isWaiting: false });
    expect(readStroke(stroke("j"), true).command).toEqual({ kind: "next" });
  });

  it("do nothing while the reader types, except that Escape leaves", () => {
    for (const key of ["/", "?", "j", "k", "g"]) {
      expect(readStroke(stroke(key, { isTyping: true }), false).command).toBeUndefined();
    }
    expect(readStroke(stroke("Escape", { isTyping: true }), false).command).toEqual({ kind: "close" });
  });

  it("leave the browser its own", () => {
    for (const key of ["/", "j", "Escape"]) {
      expect(readStroke(stroke(key, { isModified: true }), true)).toEqual({ isWaiting: false });
    }
  });
});
