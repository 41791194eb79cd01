// When a worker stays, when it rests and when it leaves.
import { expect, it } from "vitest";
import { decide, isTimeToRelease } from "./idle.ts";

const quiet = { quietFor: 60_000, idleMs: 30_000, isNeeded: false, holdsSocket: true };

it("stops when it was not needed for long enough", () => {
  expect(decide(quiet)).toBe("idle");
  expect(decide({ ...quiet, quietFor: 29_999 })).toBe("stay");
});

it("stays while it is needed, or when it is to stay", () => {
  expect(decide({ ...quiet, isNeeded: true })).toBe("stay");
  expect(decide({ ...quiet, idleMs: 0 })).toBe("stay");
});

it("stops at once when it cannot be reached any more", () => {
  expect(decide({ ...quiet, quietFor: 0, isNeeded: true, holdsSocket: false })).toBe("replaced");
});

it("rests when it has been quiet for a while and there is something to give back", () => {
  const MEGABYTE = 1024 * 1024;
  const heavy = { quietFor: 20_000, isBusy: false, used: 30 * MEGABYTE, lean: 20 * MEGABYTE };
  expect(isTimeToRelease(heavy)).toBe(true);
  expect(isTimeToRelease({ ...heavy, quietFor: 19_999 })).toBe(false);
  expect(isTimeToRelease({ ...heavy, isBusy: true })).toBe(false);
  expect(isTimeToRelease({ ...heavy, used: 21 * MEGABYTE })).toBe(false);
});
