// Scanning rows: what is yielded, what is reported, and where a later scan goes on.
import { appendFileSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import type { Problem } from "./rows.ts";
import { type ScannedRow, type ScanOptions, scanRows } from "./rows.ts";

const folder = temporaryFolder();

async function scan(
  file: string,
  options: ScanOptions = {},
): Promise<{ rows: ScannedRow[]; problems: Problem[] }> {
  const rows: ScannedRow[] = [];
  const problems: Problem[] = [];
  for await (const row of scanRows(file, { ...options, onProblem: (problem) => problems.push(problem) }))
    rows.push(row);
  return { rows, problems };
}

describe("scanRows", () => {
  it("gives each row its line and the bytes it stands on", async () => {
    const { rows, problems } = await scan(folder.writeBytes('{"a":"é"}\n{"b":2}\n'));
    expect(rows).toEqual([
      { row: { a: "é" }, line: 1, start: 0, end: 11 },
      { row: { b: 2 }, line: 2, start: 11, end: 19 },
    ]);
    expect(problems).toEqual([]);
  });

  it("reads through a byte order mark, CRLF and empty lines", async () => {
    const { rows, problems } = await scan(folder.writeBytes('\uFEFF{"a":1}\r\n\r\n   \n\n{"b":2}\r\n'));
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [{ a: 1 }, 1],
      [{ b: 2 }, 5],
    ]);
    expect(problems).toEqual([]);
  });

  it("reports broken lines and rows that are no objects, and reads on", async () => {
    const { rows, problems } = await scan(folder.write(['{"a":', "[1]", "null", "7", { ok: true }]));
    expect(rows.map(({ row }) => row)).toEqual([{ ok: true }]);
    expect(problems.map(({ kind, place }) => [kind, place?.line])).toEqual([
      ["broken-line", 1],
      ["not-an-object", 2],
      ["not-an-object", 3],
      ["not-an-object", 4],
    ]);
  });

  it("leaves a half-written last line for the next scan", async () => {
    const file = folder.writeBytes('{"a":1}\n{"b":');
    const before = await scan(file);
    expect(before.rows.map(({ row }) => row)).toEqual([{ a: 1 }]);
    expect(before.problems).toEqual([
      { kind: "torn-tail", message: "Line 2 is not finished yet.", place: { line: 2, start: 8, end: 8 } },
    ]);
    appendFileSync(file, '2}\n{"c":3}\n');
    const after = await scan(file, { from: before.rows[0]?.end ?? 0 });
    expect(after.rows.map(({ row }) => row)).toEqual([{ b: 2 }, { c: 3 }]);
    expect(after.problems).toEqual([]);
  });

  it("takes a whole last line that only lacks its newline", async () => {
    const file = folder.writeBytes('{"a":1}\n{"b":2}');
    const { rows, problems } = await scan(file);
    expect(rows.at(-1)).toMatchObject({ row: { b: 2 }, end: statSync(file).size });
    expect(problems).toEqual([]);
    appendFileSync(file, '\n{"c":3}\n');
    const later = await scan(file, { from: rows.at(-1)?.end ?? 0 });
    expect(later.rows.map(({ row }) => row)).toEqual([{ c: 3 }]);
  });

  it("skips a line over the cap and reports it", async () => {
    const file = folder.write([{ a: 1 }, { long: "x".repeat(2000) }, { b: 2 }]);
    const { rows, problems } = await scan(file, { maxLineBytes: 1000 });
    expect(rows.map(({ row }) => row)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(problems.map(({ kind }) => kind)).toEqual(["line-too-long"]);
  });

  it("joins lines that are longer than one read, and caps those too", async () => {
    const long = "长".repeat(300_000);
    const file = folder.write([{ long }, { a: 1 }]);
    expect((await scan(file)).rows.map(({ row }) => row)).toEqual([{ long }, { a: 1 }]);
    const capped = await scan(file, { maxLineBytes: 400_000 });
    expect(capped.rows.map(({ row }) => row)).toEqual([{ a: 1 }]);
    expect(capped.problems.map(({ kind }) => kind)).toEqual(["line-too-long"]);
  });

  it("goes on from any end it gave", async () => {
    const file = folder.write(["", { n: 1 }, "broken", { n: 2 }, { n: 3 }]);
    const { rows } = await scan(file);
    for (const [index, { end }] of rows.entries()) {
      expect((await scan(file, { from: end })).rows.map(({ row }) => row)).toEqual(
        rows.slice(index + 1).map(({ row }) => row),
      );
    }
  });

  it("says so when the file has become shorter than the offset", async () => {
    const { rows, problems } = await scan(folder.write([{ a: 1 }]), { from: 100 });
    expect(rows).toEqual([]);
    expect(problems.map(({ kind }) => kind)).toEqual(["shrunk"]);
  });

  it("takes NUL bytes behind the start for broken lines", async () => {
    const file = folder.write([{ a: "x".repeat(9000) }, "\0\0\0\0", { b: 2 }]);
    const { rows, problems } = await scan(file);
    expect(rows).toHaveLength(2);
    expect(problems.map(({ kind }) => kind)).toEqual(["broken-line"]);
  });

  it("refuses what is no text file, each with what to do", async () => {
    const subfolder = path.join(folder.path, "a-folder");
    mkdirSync(subfolder);
    const refused = (file: string) => expect(scan(file)).rejects;
    await refused(path.join(folder.path, "absent.jsonl")).toMatchObject({
      code: "not-found",
      fix: expect.any(String),
    });
    await refused(subfolder).toMatchObject({ code: "not-a-file", fix: expect.any(String) });
    await refused(folder.writeBytes(Uint8Array.of(0x1f, 0x8b, 0, 8))).toMatchObject({
      code: "not-text",
      fix: expect.any(String),
    });
  });

  it("yields nothing for an empty file", async () => {
    expect(await scan(folder.writeBytes(""))).toEqual({ rows: [], problems: [] });
  });
});
