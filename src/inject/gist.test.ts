// A request in a few words.
import { expect, it } from "vitest";
import { gistOf } from "./gist.ts";

it.each([
  ["can you review the branch and especially the tests", "Review the branch and especially the tests"],
  ["ok, now could you please fix the lint?", "Fix the lint?"],
  ["Implement the following plan:\n\n# E2E Testing Framework\n\n## Summary", "E2E Testing Framework"],
  ["Implement the following plan: # Plan: Fix empty repositories ## Context", "Fix empty repositories"],
  ["Implement the following plan: # Fix the error (#123) ## Context", "Fix the error (#123)"],
  ["请帮我看看数据库为什么慢", "看看数据库为什么慢"],
  ["The boat is missing.", "The boat is missing."],
  ["nowhere does it say so", "Nowhere does it say so"],
  ["hey", "Hey"],
  ["", ""],
])("%j is %j", (request, gist) => expect(gistOf(request)).toBe(gist));
