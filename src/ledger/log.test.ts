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
import { type LedgerEntry, openLedger } from "./index.ts";

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
