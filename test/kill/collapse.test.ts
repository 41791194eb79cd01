// Collapses in a process that is killed at any moment.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ledgerFile } from "../../src/home/index.ts";
import { killCollapses } from "./collapseKills.ts";
import { openCollapsing, placeOf, STEPS, sentWith } from "./collapseSteps.ts";
import { withFolder } from "./withFolder.ts";

describe("a session whose process is killed while it collapses spans", () => {
  it("goes on with the bytes it would have had without, after each of 6 kills", async () => {
    await withFolder(async (folder) => {
      const tally = await killCollapses(folder, 6, 20_261_116);
      expect(tally.commits).toBeGreaterThanOrEqual(6);
    });
  });
});

describe("a collapse of which only a part was written", () => {
  it("is finished as it was begun, wherever the record breaks off", async () => {
    await withFolder(async (folder) => {
      const session = openCollapsing(folder, "whole");
      const bytes = (): Buffer => readFileSync(ledgerFile(placeOf(folder, "whole")));
      let tried = 0;
      for (let step = 0; step < STEPS && tried < 40; step++) {
        const before = session.ledger.entries().length === 0 ? Buffer.alloc(0) : bytes();
        const digest = sentWith(session, step);
        const added = session.ledger.entries().slice(before.toString().split("\n").length - 1);
        if (!added.some(({ edit }) => edit.kind === "collapse-commit")) continue;
        for (const end of breaks(bytes(), before.length)) {
          const place = placeOf(folder, `broken-${tried++}`);
          mkdirSync(path.dirname(ledgerFile(place)), { recursive: true });
          writeFileSync(ledgerFile(place), bytes().subarray(0, end));
          const broken = openCollapsing(folder, place.session);
          expect(sentWith(broken, step)).toBe(digest);
          expect(sentWith(broken, step)).toBe(digest);
        }
      }
      expect(tried).toBeGreaterThan(20);
    });
  });
});

/** Behind every line, and in the middle of it. */
function breaks(bytes: Buffer, from: number): number[] {
  const ends: number[] = [from];
  for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, end + 1))
    ends.push(Math.floor(((ends.at(-1) ?? 0) + end) / 2), end + 1);
  return ends;
}
