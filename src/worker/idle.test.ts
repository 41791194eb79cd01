// When a worker stays and when it leaves.
import { expect, it } from "vitest";
import { decide } from "./idle.ts";

const quiet = { quietFor: 60_000, idleMs: 30_000, isNeeded: false, holdsSocket: true };

it("leaves when nobody has needed it for long enough", () => {
  expect(decide(quiet)).toBe("leave-idle");
  expect(decide({ ...quiet, quietFor: 29_999 })).toBe("stay");
});

it("stays while it is needed, or when it is to stay", () => {
  expect(decide({ ...quiet, isNeeded: true })).toBe("stay");
  expect(decide({ ...quiet, idleMs: 0 })).toBe("stay");
});

it("leaves at once when nobody can reach it any more", () => {
  expect(decide({ ...quiet, quietFor: 0, isNeeded: true, holdsSocket: false })).toBe("leave-replaced");
});
