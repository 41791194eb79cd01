// What is archived, how much room it takes, and what goes first.
import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ClaudeRows, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { archiveTranscript } from "./archive.ts";
import {
  applyQuota,
  archivesOf,
  findArchive,
  listArchives,
  planQuota,
  readArchive,
  removeArchive,
} from "./archiveIndex.ts";
import { readMarkdown } from "./formats.ts";
import { recordsFolder } from "./record.ts";

const folder = temporaryFolder();
let count = 0;
let dir = "";

const words = "so many words that compress so well ";

function session(name: string): ClaudeRows {
  const rows = new ClaudeRows();
  rows.user(`about ${name}: ${words.repeat(200)}`);
  return rows;
}

async function archive(name: string, rows = session(name), group = "g") {
  return archiveTranscript(folder.write(rows.rows), { dir, group, session: name });
}

beforeEach(async () => {
  dir = path.join(folder.path, `dir-${++count}`);
  for (const [index, name] of ["oldest", "middle", "newest"].entries()) {
    const { file = "" } = await archive(name);
    utimesSync(file, 1_700_000_000 + index, 1_700_000_000 + index);
  }
});

const names = (list: readonly { session: string }[]): string[] => list.map(({ session }) => session);

describe("the archives", () => {
  it("are listed by group, the newest first", async () => {
    await archive("elsewhere", session("elsewhere"), "other group");
    expect(names(listArchives(dir, { group: "g" }))).toEqual(["newest", "middle", "oldest"]);
    expect(names(listArchives(dir))).toHaveLength(4);
    expect(listArchives(path.join(dir, "nowhere"))).toEqual([]);
  });

  it("are found by the beginning of an id and read", () => {
    expect(readArchive(findArchive(dir, "mid"))).toContain("**User**: about middle");
    expect(archivesOf(dir, "middle")).toEqual(
      listArchives(dir).filter(({ session }) => session === "middle"),
    );
    expect(archivesOf(dir, "mid")).toEqual([]);
    expect(() => findArchive(dir, "nobody")).toThrow(expect.objectContaining({ code: "not-found" }));
  });
});

describe("a quota", () => {
  const bytes = (): number => listArchives(dir).reduce((sum, one) => sum + one.bytes, 0);

  it("does nothing without a limit, or below it", () => {
    for (const maxBytes of [0, bytes()]) {
      expect(planQuota(listArchives(dir), { maxBytes, remove: true })).toMatchObject({
        compress: [],
        remove: [],
      });
    }
  });

  it("compresses the oldest first and removes nothing unless it is asked to", () => {
    const plan = planQuota(listArchives(dir), { maxBytes: bytes() - 1 });
    expect([names(plan.compress), names(plan.remove)]).toEqual([["oldest"], []]);
    const tight = planQuota(listArchives(dir), { maxBytes: 10 });
    expect([names(tight.compress), names(tight.remove)]).toEqual([["oldest", "middle", "newest"], []]);
    const last = planQuota(listArchives(dir), { maxBytes: Math.ceil(bytes() * 0.3), remove: true });
    expect([names(last.compress), names(last.remove)]).toEqual([["middle", "newest"], ["oldest"]]);
  });

  it("leaves a compressed archive readable, and lets it grow again", async () => {
    const before = readArchive(findArchive(dir, "oldest"));
    const report = await applyQuota(dir, planQuota(listArchives(dir), { maxBytes: bytes() - 1 }));
    expect(report).toMatchObject({ compressed: 1, removed: 0 });
    expect(report.remainingBytes).toBeLessThan(report.bytes);
    const compressed = findArchive(dir, "oldest");
    expect(compressed).toMatchObject({ isCompressed: true });
    expect(readArchive(compressed)).toBe(before);
    expect(names(planQuota(listArchives(dir), { maxBytes: 10 }).compress)).toEqual(["middle", "newest"]);
    const rows = session("oldest");
    rows.say("m1", "one more");
    await archive("oldest", rows);
    expect(existsSync(compressed.file)).toBe(false);
    expect(
      readMarkdown(readArchive(findArchive(dir, "oldest"))).parts.map(({ text }) => text.slice(0, 8)),
    ).toEqual(["about ol", "one more"]);
  });

  it("takes a compressed archive for as old as it was", async () => {
    await applyQuota(dir, planQuota(listArchives(dir), { maxBytes: bytes() - 1 }));
    expect(names(listArchives(dir))).toEqual(["newest", "middle", "oldest"]);
    const next = planQuota(listArchives(dir), { maxBytes: Math.ceil(bytes() * 0.39), remove: true });
    expect(names(next.remove)).toEqual(["oldest", "middle"]);
  });

  it("leaves alone what another process has compressed or removed meanwhile", async () => {
    const plan = planQuota(listArchives(dir), { maxBytes: 10 });
    removeArchive(findArchive(dir, "middle"));
    await applyQuota(dir, planQuota(listArchives(dir), { maxBytes: bytes() - 1 }));
    expect(await applyQuota(dir, plan)).toMatchObject({ compressed: 1 });
    expect(readArchive(findArchive(dir, "oldest"))).toContain("**User**: about oldest");
  });

  it("removes what it was allowed to, the oldest first", async () => {
    const plan = planQuota(listArchives(dir), { maxBytes: Math.ceil(bytes() * 0.3), remove: true });
    expect(await applyQuota(dir, plan)).toMatchObject({ compressed: 2, removed: 1 });
    expect(names(listArchives(dir)).sort()).toEqual(["middle", "newest"]);
  });
});

describe("a removed archive", () => {
  it("leaves nothing that tells of it, and is not written again from what was removed", async () => {
    const rows = session("oldest");
    expect(removeArchive(findArchive(dir, "oldest"))).toBe(true);
    const records = recordsFolder(path.join(dir, "groups", "g", "conversations"));
    const left = readdirSync(records).map((name) => readFileSync(path.join(records, name), "utf8"));
    expect(left.join("\n")).not.toMatch(/oldest/);
    expect(await archive("oldest", rows)).toMatchObject({ added: 0 });
    rows.user("and then");
    await archive("oldest", rows);
    expect(readMarkdown(readArchive(findArchive(dir, "oldest"))).parts).toEqual([
      { label: "User", text: "and then" },
    ]);
  });
});
