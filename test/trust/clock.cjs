// Preloaded into every process of a run with faults: moves its clock by what a file says, while it runs.
const { readFileSync } = require("node:fs");

const RealDate = Date;
const file = process.env.THROUGHLINE_TEST_CLOCK;
const LOOK_EVERY_MS = 100;
let offset = 0;
let lookedAt = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - lookedAt > LOOK_EVERY_MS) {
    lookedAt = performance.now();
    try {
      offset = Number(readFileSync(file, "utf8")) || 0;
    } catch {
      // Too few descriptors to look: the clock stays as it is.
      lookedAt += 1;
    }
  }
  return RealDate.now() + offset;
}

globalThis.Date = class MovedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }
  static now() {
    return now();
  }
};
