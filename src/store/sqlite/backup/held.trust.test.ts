// The store knows outside of its file how much it held, and does not open a file that holds less as if all were well.
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { event } from "../../../../test/storeContract/setting.ts";
import type { Store } from "../../index.ts";
import { releaseClosed } from "../driver.ts";
import { openStore } from "../engine.ts";
import { heldFile, isAsClosed, markDamaged, readHeld } from "./held.ts";
import { restoreStore } from "./restore.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-held-"));
  file = path.join(folder, "throughline.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withStore(work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openStore({ file });
  await work(store);
  await store.close();
  await releaseClosed();
}

const keep = (...ids: string[]): Promise<void> =>
  withStore((store) => store.recordEvents(ids.map((id) => event(id, 1))));

function replaceByLink(target: string): void {
  rmSync(file);
  symlinkSync(target, file);
}

const damages: readonly (readonly [string, () => void, RegExp])[] = [
  ["is empty", () => truncateSync(file, 0), /is empty; it held 2 rows/],
  ["is gone", () => rmSync(file), /is gone; it held 2 rows/],
  ["is a link to nothing", () => replaceByLink("/nowhere/else.db"), /is not a file/],
  ["was found damaged while it was open", () => markDamaged(file, "page 7"), /is damaged \(page 7\)/],
];

describe("a store that held rows", () => {
  it.each(damages)("is refused when its file %s, by every process", async (_, damage, says) => {
    await keep("a");
    damage();
    for (const more of [{}, { readOnly: true }, { mustExist: true }])
      await expect(openStore({ file, ...more })).rejects.toMatchObject({
        code: "database-damaged",
        message: expect.stringMatching(says),
        fix: expect.stringContaining("throughline worker start"),
      });
    expect(readHeld(file)?.counts.events).toBe(1);
  });

  it("is refused when an earlier copy or another store is in its place", async () => {
    await keep("a");
    const earlier = path.join(folder, "earlier.db");
    copyFileSync(file, earlier);
    await keep("b");
    copyFileSync(earlier, file);
    await expect(openStore({ file })).rejects.toThrow(/has lost rows: \w+ went up to \d+, now to \d+/);
    const other = await openStore({ file: path.join(folder, "other.db") });
    await other.recordEvents([event("a", 1), event("b", 1), event("c", 1)]);
    await other.close();
    await releaseClosed();
    copyFileSync(path.join(folder, "other.db"), file);
    await expect(openStore({ file })).rejects.toThrow("is not the database that was here before");
  });

  it("is opened when rows were deleted, the file that says what it held is damaged, or a backup was put back", async () => {
    await keep("a", "b");
    const backup = path.join(folder, "backup.db");
    await withStore((store) => store.backup(backup));
    await withStore((store) => store.forget({ from: "2000-01-01T00:00:00.000Z" }));
    await keep("c");
    await restoreStore({ file, from: backup, now: 0 });
    await keep("d");
    writeFileSync(heldFile(file), "garbage");
    await keep("e");
    expect(readHeld(file)).toMatchObject({ counts: { events: 4 }, forgotten: [] });
  });

  it("knows whether the file was written since it was closed", async () => {
    await keep("a");
    expect(isAsClosed(file, readHeld(file))).toBe(true);
    writeFileSync(file, "x", { flag: "a" });
    expect(isAsClosed(file, readHeld(file))).toBe(false);
  });
});
