// A text from anywhere, however deep, is refused by place and does not use up the stack.
import { expect, it } from "vitest";
import { parseDocument } from "./document.ts";

it.each(['{"a":', "[", '[{"a":'])("refuses %s twenty thousand times", (open) => {
  const { tree, error } = parseDocument(open.repeat(20_000));
  expect(tree).toBeUndefined();
  expect(error).toMatchObject({ words: "nested more than 100 levels deep" });
  expect(error?.offset).toBeLessThanOrEqual(101 * open.length);
});

it("does not count brackets in strings and comments", () => {
  const { tree, error } = parseDocument(`{"a": "${"[".repeat(500)}" /* ${"{".repeat(500)} */}`);
  expect(error).toBeUndefined();
  expect(tree?.type).toBe("object");
});
