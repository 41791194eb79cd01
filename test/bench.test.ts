// How benches are printed, kept and quoted: what a reader relies on beside the numbers.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os, { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandOf } from "../bench/alone.ts";
import { type Bench, holds, type Outcome } from "../bench/bench.ts";
import { quantile } from "../bench/measure.ts";
import { outcomeText, pageTable } from "../bench/print.ts";
import { readmeBlocks } from "../bench/readme.ts";
import { isStale, record, recordedResults } from "../bench/record.ts";
import { markdownTable } from "./generated.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outcome: Outcome = {
  findings: [
    {
      title: "Times",
      rows: [
        { what: "a | b", ms: 1_234.5678 },
        { what: "c", ms: 2, "×": 0.5 },
      ],
      notes: ["A note."],
    },
  ],
  bars: [
    { what: "ms of c", value: 2, atMost: 3 },
    { what: "share", value: 0.1, atLeast: 0.2 },
  ],
};

describe("a bench", () => {
  it("is printed with numbers to the right, and says what does not hold", () => {
    expect(outcomeText(outcome).split("\n")).toEqual([
      "Times",
      "  what          ms    ×",
      "  a | b  1,234.568",
      "  c              2  0.5",
      "A note.",
      "",
      "holds  ms of c: 2, at most 3",
      "DOES NOT HOLD  share: 0.1, at least 0.2",
    ]);
    expect(outcome.bars?.map(holds)).toEqual([true, false]);
  });

  it("is kept with the machine and the day, and without user names", () => {
    const bench: Bench = { name: "example", about: "An example.", measures: [], run: async () => outcome };
    record(
      bench,
      commandOf("bench", ["/home/somebody/sessions", "/home/somebody/more", "40"]),
      outcome,
      folder,
    );
    const kept = recordedResults(folder).get("example");
    expect(kept).toMatchObject({ ...outcome, about: "An example.", command: "npm run bench -- FOLDER 40" });
    expect(kept?.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(kept?.machine.node).toBe(process.version);
    const page = readFileSync(path.join(folder, "example.md"), "utf8");
    expect(page).toContain("| a \\| b | 1,234.568 |  |");
    expect(page).toContain("- share: 0.1, at least 0.2: **does not hold**");
    for (const text of [page, JSON.stringify(kept)]) {
      expect(text).not.toContain("somebody");
      expect(text).not.toContain(os.hostname());
    }
  });

  it("is older than its code once a file of that code changes, and not when a test does", () => {
    const code = mkdtempSync(path.join(folder, "code-"));
    const write = (name: string, text: string) => writeFileSync(path.join(code, name), text);
    write("a.ts", "1");
    const results = mkdtempSync(path.join(folder, "results-"));
    const kept = record({ name: "of code", about: "", measures: [code] }, "", outcome, results);
    expect(isStale(kept)).toBe(false);
    write("a.test.ts", "1");
    expect(isStale(kept)).toBe(false);
    write("a.ts", "2");
    expect(isStale(kept)).toBe(true);
    const { code: _, measures: __, ...earlier } = kept;
    expect(isStale(earlier)).toBe(true);
  });

  it("writes numbers to the right on a page, and words to the left", () => {
    expect(pageTable(outcome.findings[0] ?? { title: "", rows: [] }).split("\n")[1]).toBe(
      "| --- | --: | --: |",
    );
  });

  it("takes the middle of many times", () => {
    expect([0, 0.5, 0.9, 1].map((share) => quantile([5, 1, 4, 2, 3], share))).toEqual([1, 3, 5, 5]);
  });
});

describe("what the README quotes", () => {
  it("says of what was not measured that it was not", () => {
    const blocks = readmeBlocks(new Map(), markdownTable);
    for (const [name, block] of Object.entries(blocks)) expect(block, name).toMatch(/^_[^_]*not measured/i);
  });

  it("is what was kept, whatever the numbers are", () => {
    const bench: Bench = { name: "pipeline", about: "", measures: [], run: async () => outcome };
    const row = {
      policy: "thrifty",
      messages: 899,
      "JSON.stringify ms": 1.1,
      "appended ×": 0.25,
      "parsed anew ×": 2,
    };
    record(bench, "npm run bench", { findings: [{ title: "One request prepared", rows: [row] }] }, folder);
    const block = readmeBlocks(recordedResults(folder), markdownTable)["bench-running"];
    expect(block).toMatch(
      /\| preparing a request of 899 messages, 200,000 tokens +\| 0\.25 × +\| one JSON\.stringify of it, 1\.1 ms/,
    );
    expect(block).toMatch(/_`npm run bench`, \d{4}-\d\d-\d\d, \d+ cores/);
  });
});

it("is called with what it takes, or says so", () => {
  const root = path.resolve(import.meta.dirname, "..");
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(root, "scripts", "run.mjs"), ...args], {
      cwd: root,
      encoding: "utf8",
    });
  expect(run("bench/tokens.ts")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("usage: npm run bench:tokens -- [--worst=N] FILE|DIR…\n"),
  });
  expect(run("bench/tokens.ts", "sample/session.jsonl").stdout).toContain("anchored to the response before");
});
