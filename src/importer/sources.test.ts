// What is found to be imported, in which order, and what is passed over.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeClaudeMem } from "../../test/fixtures/import/claudeMem.ts";
import { promptRow } from "../../test/worker/rows.ts";
import type { JsonObject } from "../lib/index.ts";
import { findSources } from "./sources.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-sources-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, rows: readonly JsonObject[] | string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const text = typeof rows === "string" ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(file, text);
  return file;
}

const found = async (...places: string[]) => {
  const { sources, passedOver } = await findSources(places.length === 0 ? [folder] : places);
  return {
    sources: sources.map(({ kind, file }) => `${kind} ${path.relative(folder, file)}`),
    passedOver: passedOver.map(({ why, file }) => `${why} ${path.relative(folder, file)}`).sort(),
  };
};

describe("sources of an import", () => {
  it("are transcripts in the order in which they began, forks behind their origin, and claude-mem last", async () => {
    write("p/a.jsonl", [promptRow("later", 50, "hi")]);
    write("p/b.jsonl", [promptRow("first", 1, "hi")]);
    // The same first row: the copy knows fewer prompts.
    write("p/c.jsonl", [promptRow("fork", 9, "x", "p30"), promptRow("fork", 10, "y", "p30")]);
    write("p/d.jsonl", [promptRow("origin", 9, "x", "p9"), promptRow("origin", 10, "y", "p10")]);
    const database = await writeClaudeMem(path.join(folder, "claude-mem.db"), "today");
    expect((await found()).sources).toEqual([
      "transcript p/b.jsonl",
      "transcript p/d.jsonl",
      "transcript p/c.jsonl",
      "transcript p/a.jsonl",
      "claude-mem claude-mem.db",
    ]);
    database.close();
  });

  it("are counted with their subagents, which are no sources themselves", async () => {
    const rows = [promptRow("s", 1, "hi")];
    const file = write("-home-ünï-项目/s.jsonl", rows);
    write("-home-ünï-项目/s/subagents/agent-a.jsonl", rows);
    write("-home-ünï-项目/s/tool-results/x.jsonl", rows);
    const { sources } = await findSources([folder]);
    expect(sources).toMatchObject([{ file, bytes: 2 * (JSON.stringify(rows[0]).length + 1) }]);
  });

  it("are found once, however often they are named", async () => {
    const file = write("p/s.jsonl", [promptRow("s", 1, "hi")]);
    symlinkSync(path.join(folder, "p"), path.join(folder, "again"));
    expect((await found(folder, file)).sources).toEqual(["transcript p/s.jsonl"]);
  });

  it("skip what is no conversation, each for its reason", async () => {
    write("export.jsonl", '{"throughline":"export","version":1}\n');
    write("other.jsonl", [{ type: "session", timestamp: "2026-01-01T00:00:00.000Z" }]);
    write("titles.jsonl", [{ type: "summary", summary: "A title", leafUuid: "x" }]);
    write("nothing.jsonl", "");
    write("broken.jsonl", "this is\nno JSON\n");
    write("binary.jsonl", "\0\0\0\0");
    write("-home-me--claude-mem-observer-sessions/s.jsonl", [promptRow("s", 1, "You are watching")]);
    write("p/o.jsonl", [{ ...promptRow("o", 1, "hi"), cwd: "/home/me/.claude-mem/observer-sessions" }]);
    write("-state-models-throughline-wording/w.jsonl", [promptRow("w", 1, "<request>")]);
    write("notes.txt", [promptRow("s", 1, "hi")]);
    expect(await found()).toEqual({
      sources: [],
      passedOver: [
        "empty nothing.jsonl",
        "empty titles.jsonl",
        "export export.jsonl",
        "observer -home-me--claude-mem-observer-sessions/s.jsonl",
        "observer -state-models-throughline-wording/w.jsonl",
        "observer p/o.jsonl",
        "other other.jsonl",
        "unreadable binary.jsonl",
        "unreadable broken.jsonl",
      ],
    });
  });

  it("may have any name when they are named themselves", async () => {
    const file = write("saved.txt", [promptRow("s", 1, "hi")]);
    expect((await found(file)).sources).toEqual(["transcript saved.txt"]);
    const database = await writeClaudeMem(path.join(folder, "x.db"), "earlier");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const copy = path.join(folder, "backup-of-memory");
    copyFileSync(path.join(folder, "x.db"), copy);
    expect((await found(copy)).sources).toEqual(["claude-mem backup-of-memory"]);
    database.close();
    expect(await found(path.join(folder, "none"))).toEqual({ sources: [], passedOver: [] });
  });
});
