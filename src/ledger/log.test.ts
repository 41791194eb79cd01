// The log on disk: survives torn lines, foreign writers and kill -9.
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logProperties } from "../../test/properties/log.ts";
import { chosenSeed } from "../../test/seed.ts";
import { apply, type LedgerEntry, openLedger } from "./index.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-ledger-"));
  file = path.join(folder, "session", "ledger.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (id: string): LedgerEntry => ({
  v: 1,
  id,
  at: "2026-01-01T00:00:00.000Z",
  by: "here",
  level: "user",
  why: "请保留 — test",
  edit: { kind: "pin", items: [id] },
});
const ids = (list: readonly LedgerEntry[]): string[] => list.map(({ id }) => id);

describe("a ledger on disk", () => {
  it("is empty before anything is written, and private afterwards", () => {
    const ledger = openLedger(file);
    expect(ledger.entries()).toEqual([]);
    ledger.append([entry("a")]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("gives back what was appended, to every reader, in order", () => {
    const [one, two] = [openLedger(file), openLedger(file)];
    one.append([entry("a"), entry("b")]);
    two.append([entry("c")]);
    one.append([entry("d")]);
    expect(ids(one.entries())).toEqual(["a", "b", "c", "d"]);
    expect(two.entries()).toEqual(one.entries());
    expect(openLedger(file).entries()).toEqual(one.entries());
  });

  it("drops a torn last line and never the rest", () => {
    const ledger = openLedger(file);
    ledger.append([entry("a"), entry("b")]);
    truncateSync(file, statSync(file).size - 9);
    expect(ids(openLedger(file).entries())).toEqual(["a"]);
    ledger.append([entry("c")]);
    expect(ids(openLedger(file).entries())).toEqual(["a", "c"]);
    expect(openLedger(file).problems()).toHaveLength(1);
  });

  const compaction = (id: string): LedgerEntry => ({
    ...entry(id),
    why: 'it said "},\\"tokens\\":{" and went on',
    edit: {
      kind: "replace-prefix",
      through: "m1",
      messages: [{ role: "user", content: [{ type: "text", text: `${"长 text ".repeat(2_000)}` }] }],
      attachments: [{ role: "user", content: '{"tokens":{"before":1}}' }],
      words: "messages",
    },
    tokens: { before: 9, after: 1 },
    handles: ["tl:1"],
    tip: "m2",
  });

  it("gives back a compaction with a long summary as it was appended, read by its parts or as a whole", () => {
    openLedger(file).append([entry("a"), compaction("b"), entry("c")]);
    const read = openLedger(file).entries();
    expect(ids(read)).toEqual(["a", "b", "c"]);
    expect(read[1]?.edit.kind).toBe("replace-prefix");
    expect(read).toEqual([entry("a"), compaction("b"), entry("c")]);
    expect(JSON.parse(JSON.stringify(read[1]))).toEqual(compaction("b"));
  });

  it("drops a torn line of a compaction, and skips one that was damaged in its middle", () => {
    openLedger(file).append([compaction("a")]);
    truncateSync(file, statSync(file).size - 9);
    openLedger(file).append([compaction("b")]);
    expect(ids(openLedger(file).entries())).toEqual(["b"]);
    const bytes = readFileSync(file);
    bytes[bytes.length - 2_000] = 0;
    writeFileSync(file, bytes);
    const history = ["m1", "m2"].map((id) => ({ id, message: { role: "user" as const, content: id } }));
    const { items, skipped } = apply(history, openLedger(file).entries());
    expect(items).toEqual(history);
    expect(skipped).toMatchObject([{ entry: "b", reason: "target-missing" }]);
  });

  it("reads a line once it is whole", () => {
    const line = JSON.stringify(entry("a"));
    const ledger = openLedger(file);
    ledger.append([entry("0")]);
    appendFileSync(file, line.slice(0, 20));
    expect(ids(ledger.entries())).toEqual(["0"]);
    appendFileSync(file, `${line.slice(20)}\n`);
    expect(ids(ledger.entries())).toEqual(["0", "a"]);
  });

  it("passes over lines it cannot use and reports them", () => {
    const ledger = openLedger(file);
    ledger.append([entry("a")]);
    appendFileSync(file, `garbage\n{"v":9}\n${JSON.stringify(entry("b"))}\n`);
    expect(ids(ledger.entries())).toEqual(["a", "b"]);
    expect(ledger.problems().map(({ problem }) => problem)).toEqual([
      "a torn or broken line",
      "version 9 is not known; a newer Throughline wrote it",
    ]);
  });

  it("writes nothing when one of the entries is malformed", () => {
    const ledger = openLedger(file);
    ledger.append([entry("a")]);
    const before = readFileSync(file);
    expect(() => ledger.append([entry("b"), { ...entry("c"), edit: { kind: "pin", items: [] } }])).toThrow(
      /wrong `items`/,
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it("starts over when the file was replaced by a shorter one", () => {
    const ledger = openLedger(file);
    ledger.append([entry("a"), entry("b")]);
    ledger.entries();
    writeFileSync(file, `${JSON.stringify(entry("z"))}\n`);
    expect(ids(ledger.entries())).toEqual(["z"]);
  });

  it("holds its properties", () => {
    for (const { holds } of logProperties(file)) holds({ numRuns: 250, seed: chosenSeed() });
  });
});
