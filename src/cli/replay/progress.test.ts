// The line that says how far a replay is.
import { expect, it } from "vitest";
import { progressLine } from "./progress.ts";

const at = { done: 5, all: 22, bytesDone: 25, bytes: 100, name: "session" };

it("says how many are done and how long the rest will take, by the size of what is done", () => {
  expect(progressLine(at, 10_000, 100)).toBe("█████░░░░░░░░░░░░░░░ 5/22 sessions, about 30 s left  session");
  expect(progressLine({ ...at, bytesDone: 1 }, 10_000, 100)).toContain("about 16 min 30 s left");
});

it("promises nothing at the end, nor where nothing had to be done", () => {
  expect(progressLine({ ...at, bytesDone: 100, done: 22 }, 10_000, 100)).toBe(
    "████████████████████ 22/22 sessions  session",
  );
  expect(progressLine({ ...at, bytesDone: 0, bytes: 0 }, 10_000, 100)).not.toContain("left");
});

it("is no wider than the terminal, and passes on nothing that a name could do to it", () => {
  expect(progressLine(at, 10_000, 30)).toHaveLength(30);
  expect(progressLine({ ...at, name: "a\u001b[2Jb" }, 10_000, 100)).toMatch(/ {2}a\\u\{1b\}\[2Jb$/);
});
