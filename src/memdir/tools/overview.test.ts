// Holds what is shown of a folder to what lies in it: ages, findings, evidence, history.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { newPlace, saveBerths } from "../../../test/fixtures/memory/newPlace.ts";
import { readRepository } from "../../claims/index.ts";
import type { SaveRequest } from "../admit/save.ts";
import { removeMemory, undoChange } from "../folder/store.ts";
import { editMemory } from "./actions.ts";
import { readVersion, versionsOf, viewMemories, viewMemory } from "./overview.ts";

const place = newPlace({ isClaudes: true });
beforeEach(() => {
  mkdirSync(path.join(place.root, "code"));
  writeFileSync(path.join(place.root, "code", "berths.ts"), "export const berths = 4;\n");
});

const options = { clock: { now: () => Date.parse("2026-03-02T09:00:00Z") }, timeZone: "UTC" };
const save = (more: Partial<SaveRequest> = {}) =>
  saveBerths(place, { body: "Berths are counted at night, see `berths.ts`.", ...more }, options);
const view = () => ({
  now: Date.parse("2026-03-12T10:00:00Z"),
  timeZone: "UTC",
  repository: readRepository(path.join(place.root, "code")),
});
const only = async () => {
  const detail = await viewMemory(place, "berths.md", view());
  if (detail === undefined) throw new Error("berths.md is not shown");
  return detail;
};

describe("the list", () => {
  it("says of each memory how old it is and that it holds, without its text", async () => {
    await save();
    const { memories, ...folder } = await viewMemories(place, view());
    expect(folder).toMatchObject({ folder: place.folder, isClaudes: true, findings: [], waiting: 0 });
    expect(memories).toMatchObject([
      {
        file: "berths.md",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        age: { writtenAt: "2026-03-02T09:00:00.000Z", days: 10 },
        ...{ isActive: true, isListed: true, standing: "fresh", evidence: [], findings: [] },
      },
    ]);
    expect(memories[0]).not.toHaveProperty("text");
    expect(memories[0]).not.toHaveProperty("body");
  });

  it("says what no longer holds, with the evidence", async () => {
    await save();
    rmSync(path.join(place.root, "code", "berths.ts"));
    const { memories } = await viewMemories(place, view());
    expect(memories).toMatchObject([
      { standing: "stale", evidence: ["there is no berths.ts"], findings: [{ kind: "stale" }] },
    ]);
  });

  it("holds a memory to its line as well, which is what a session reads first", async () => {
    await save({ description: "berths are counted by `countBerths()` at night", body: "At night." });
    expect((await viewMemories(place, view())).memories).toMatchObject([
      { standing: "stale", evidence: [expect.stringContaining("the code has no countBerths")] },
    ]);
  });

  it("says nothing of references where there is no repository to look into", async () => {
    await save();
    const { now } = view();
    expect((await viewMemories(place, { now })).memories[0]).not.toHaveProperty("standing");
  });

  it("has those that were superseded or have expired, as such", async () => {
    await save();
    await save({ name: "Berths now", supersedes: ["berths.md"] });
    await save({ name: "Until spring", body: "The quay is closed.", expires: "2026-03-05" });
    const { memories } = await viewMemories(place, view());
    expect(memories.map(({ file, isActive, isListed }) => [file, isActive, isListed])).toEqual([
      ["berths-now.md", true, true],
      ["berths.md", false, false],
      ["until-spring.md", false, true],
    ]);
  });

  it("keeps apart what concerns no memory of it", async () => {
    await save();
    const index = path.join(place.folder, "MEMORY.md");
    writeFileSync(index, `${readFileSync(index, "utf8")}- [Gone](gone.md) — not there\n`);
    writeFileSync(path.join(place.folder, "bytes.md"), Buffer.from([0xff, 0x00]));
    await save({ type: "feedback", body: "a **Why:** b\n**Why:** c\n**How to apply:** d", author: "tool" });
    const { findings, unreadable, waiting } = await viewMemories(place, view());
    expect(findings.map(({ file, kind }) => [file, kind])).toEqual([
      ["bytes.md", "unreadable"],
      ["gone.md", "dead-line"],
    ]);
    expect(unreadable).toMatchObject([{ file: "bytes.md" }]);
    expect(waiting).toBe(1);
  });
});

describe("one memory", () => {
  it("comes with its text, with everything that it points at, and with its history", async () => {
    await save();
    const { hash } = (await only()).memory;
    await editMemory(place, { file: "berths.md", hash, isVerified: true }, options);
    expect(await only()).toMatchObject({
      memory: { body: "Berths are counted at night, see `berths.ts`.", text: expect.stringContaining("---") },
      age: { days: 10, verifiedDays: 10 },
      verdict: { standing: "fresh", checked: [{ evidence: "berths.ts is there" }] },
      history: [
        { action: "edit", before: hash, isUndone: false, isKept: true },
        { action: "add", before: null, after: hash, isKept: true },
      ],
    });
  });

  it("is nothing where there is none, and refused where it cannot be one", async () => {
    expect(await viewMemory(place, "nothing.md", view())).toBeUndefined();
    await expect(viewMemory(place, "../books/lock", view())).rejects.toMatchObject({
      code: "memory-refused",
    });
  });

  it("has versions that can be read by the hashes of its own history, also when it is gone", async () => {
    await save();
    const { memory } = await only();
    await save({ name: "Other", body: "Another fact." });
    await removeMemory(place, memory);
    expect(readVersion(place, "berths.md", memory.hash)).toBe(memory.text);
    expect(readVersion(place, "other.md", memory.hash)).toBeUndefined();
    expect(readVersion(place, "berths.md", "../../lock")).toBeUndefined();
    await undoChange(place);
    expect(
      versionsOf(place, "berths.md").map(({ action, isUndone }) => [action.split(" ")[0], isUndone]),
    ).toEqual([
      ["undo", false],
      ["rm", true],
      ["add", false],
    ]);
  });
});
