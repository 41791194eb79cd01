// Content in pieces: exact, stored once, kept while anything refers to it, and gone when nothing does.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR } from "../lib/index.ts";
import { GrowingContent } from "./growingContent.ts";
import type { Vault } from "./model.ts";
import { jsonPieces, type Piece } from "./pieces.ts";
import { decodeText } from "./text.ts";
import { memoryVault, nameOf, openVault } from "./vault.ts";

let folder = "";
let now = 0;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-pieces-"));
  now = 1_700_000_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Vault => openVault(folder, { clock: { now: () => now } });
/** A text of that size that no other seed gives. */
const text = (size: number, seed: number): string =>
  createHash("shake256", { outputLength: Math.ceil(size / 2) })
    .update(`${seed}`)
    .digest("hex")
    .slice(0, size);
const shown = (piece: Piece): string => (typeof piece === "string" ? piece : JSON.stringify(piece.json));
const whole = (pieces: readonly Piece[]): string => pieces.map(shown).join("");
const put = (vault: Vault, session: string, pieces: readonly Piece[]): string =>
  vault.put(whole(pieces), { session }, pieces).handle;
const read = (vault: Vault, handle: string): string => decodeText(vault.read(handle));
const conversation = (turns: number): string[] =>
  Array.from({ length: turns }, (_, at) => [
    `\n## user ${at}\n`,
    text(300 + (at % 7) * 100, at),
    "\n## result\n",
    text(500 * (1 + (at % 30)), 1_000 + at),
  ]).flat();
const files = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((name) => statSync(name).isFile());
const blobFile = (sha256: string): string => path.join(folder, "blobs", sha256.slice(0, 2), sha256);

describe("content in pieces", () => {
  it("comes back exactly, under the handle it would have had as a whole (100 contents)", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.tuple(fc.nat(12_000), fc.nat(50)).map(([size, seed]) => text(size, seed)),
      fc.constantFrom("", "\n", "\ud800", 'a"\\b\u0001', "日本語の文".repeat(300)),
    );
    const piece = fc.oneof(
      anyText,
      anyText.map((json) => ({ json })),
    );
    const vault = memoryVault();
    const comesBack = fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const handle = put(vault, "s", pieces);
      expect(handle).toBe(nameOf(whole(pieces)).handle);
      expect(read(vault, handle)).toBe(whole(pieces));
    });
    fc.assert(comesBack, { numRuns: 100 });
  });

  it("is stored as a whole when the pieces are not the content", () => {
    const vault = open();
    const content = text(20_000, 1);
    const { handle } = vault.put(content, { session: "s" }, ["something else", text(9_000, 2)]);
    expect(read(vault, handle)).toBe(content);
    expect(vault.stats().blobs).toBe(1);
  });

  it("takes only what is new of a text that grows at its end", () => {
    const vault = open();
    let last = 0;
    for (const turns of [100, 200, 300]) {
      put(vault, "s", conversation(turns));
      const { rawBytes } = vault.stats();
      const added = whole(conversation(turns)).length - whole(conversation(turns - 100)).length;
      expect(rawBytes - last).toBeLessThan(1.1 * added);
      last = rawBytes;
    }
  });

  it("takes little of a text that changed in its middle", () => {
    const vault = open();
    const pieces = conversation(300);
    put(vault, "s", pieces);
    const before = vault.stats().rawBytes;
    put(vault, "s", [...pieces.slice(0, 400), "something new", ...pieces.slice(404)]);
    expect(vault.stats().rawBytes - before).toBeLessThan(0.1 * before);
  });

  it("shares long strings between a text and the JSON of it, and with what was stored by itself", () => {
    const vault = open();
    const results = Array.from({ length: 20 }, (_, at) => `${text(6_000, at)}\n"quoted"`);
    for (const result of results) vault.put(result, { session: "s" });
    const before = vault.stats().rawBytes;
    put(
      vault,
      "s",
      results.flatMap((result) => ["\n## result\n", result]),
    );
    const json = JSON.stringify(results.map((content) => ({ type: "tool_result", content })));
    const { handle } = vault.put(json, { session: "s" }, jsonPieces(json));
    expect(read(vault, handle)).toBe(json);
    expect(vault.stats().rawBytes).toBeLessThan(1.1 * before);
  });

  it("finds the strings of any JSON (500 values)", () => {
    const isWhole = fc.property(fc.json(), fc.nat(9_000), (json, size) => {
      const long = JSON.stringify([JSON.parse(json), 'x"\\'.repeat(size), json]);
      expect(whole(jsonPieces(long))).toBe(long);
    });
    fc.assert(isWhole, { numRuns: 500 });
  });
});

describe("what refers to a part", () => {
  it("keeps it while its session is not forgotten, and nothing is left of one that is", () => {
    const vault = open();
    const shared = conversation(60);
    const own = [...shared, text(9_000, 99), "only here"];
    const other = put(vault, "other", shared);
    put(vault, "s", own);
    const expected = vault.onlyOf(new Set(["s"])).map(({ sha256 }) => sha256);
    const { deleted } = vault.forget({ session: "s" });
    expect(deleted.map(({ sha256 }) => sha256)).toEqual(expected);
    expect(read(vault, other)).toBe(whole(shared));
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [] });
    expect(() => vault.read(nameOf(text(9_000, 99)).handle)).toThrow("Nothing is stored");
    vault.forget({ session: "other" });
    expect(files()).toEqual([]);
  });

  it("keeps a part of its own session that another session's list needs", () => {
    const vault = open();
    const result = text(9_000, 1);
    vault.put(result, { session: "one", toolUseId: "toolu_1" });
    const list = put(vault, "two", ["before\n", result, "\nbehind"]);
    expect(vault.forget({ session: "one" }).kept.map(({ handle }) => handle)).toEqual([
      nameOf(result).handle,
    ]);
    expect(read(vault, list)).toContain(result);
    vault.forget({ session: "two" });
    expect(files()).toEqual([]);
  });

  it("leaves nothing of a session behind in a list that a killed writer did not finish", () => {
    const vault = open();
    const pieces = conversation(60);
    put(vault, "s", pieces);
    const unfinished = put(vault, "gone", [...pieces, text(9_000, 5)]);
    rmSync(path.join(folder, "origins", "gone.jsonl"));
    const again = open();
    again.forget({ session: "s" });
    expect(() => again.read(unfinished)).toThrow("Nothing is stored");
    expect(files()).toEqual([]);
  });

  it("goes with one handle, but for the parts that others need", () => {
    const vault = open();
    const kept = put(vault, "s", conversation(60));
    const gone = put(vault, "s", [...conversation(60), text(9_000, 7)]);
    vault.forget({ handle: gone });
    expect(read(vault, kept)).toBe(whole(conversation(60)));
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [] });
  });

  it("keeps it from a sweep, which deletes lists before their parts", () => {
    const vault = open();
    const old = put(vault, "s", conversation(60));
    now += 100 * HOUR;
    const young = put(vault, "s", conversation(30));
    now += HOUR;
    vault.sweep({ live: [], olderThan: 50 * HOUR });
    expect(() => vault.read(old)).toThrow("Nothing is stored");
    expect(read(vault, young)).toBe(whole(conversation(30)));
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [] });
    now += 100 * HOUR;
    vault.sweep({ live: [young], maxBytes: 1 });
    expect(read(vault, young)).toBe(whole(conversation(30)));
    vault.sweep({ live: [], maxBytes: 1 });
    expect(vault.stats().blobs).toBe(0);
  });
});

describe("damage", () => {
  it("of a part or of a list is found, named, and repaired by putting the content again", () => {
    const pieces = [...conversation(60), text(9_000, 3)];
    const { sha256 } = nameOf(whole(pieces));
    put(open(), "s", pieces);
    const part = nameOf(text(9_000, 3)).sha256;
    for (const damaged of [sha256, part]) {
      const file = blobFile(damaged);
      const bytes = readFileSync(file);
      bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 0xff;
      writeFileSync(file, bytes);
      expect(
        open()
          .verify()
          .corrupt.map((blob) => blob.file),
      ).toEqual([file]);
      expect(() => open().read(sha256)).toThrow("damaged");
      put(open(), "s", pieces);
      expect(read(open(), sha256)).toBe(whole(pieces));
      rmSync(file);
      const { corrupt, missing } = open().verify();
      expect([...corrupt, ...missing]).toHaveLength(1);
      expect(() => open().read(sha256)).toThrow();
      put(open(), "s", pieces);
      expect(open().verify()).toMatchObject({ corrupt: [], missing: [], orphans: [] });
    }
  });
});

describe("content that grows", () => {
  const pieces = conversation(120);
  const grow = (content: GrowingContent, from: number, to: number) => {
    content.append(pieces.slice(from, to));
    return content.current(() => pieces.slice(0, to));
  };

  it("comes back exactly, under the handle it would have had as a whole, wherever it was put before", () => {
    const cut = fc.nat(pieces.length);
    const grows = fc.property(fc.array(cut, { maxLength: 6 }), fc.boolean(), (cuts, isDisk) => {
      const vault = isDisk ? open() : memoryVault();
      const content = new GrowingContent();
      let from = 0;
      for (const to of cuts.toSorted((a, b) => a - b)) {
        const { handle } = vault.put(grow(content, from, to), { session: "s" });
        expect(handle).toBe(nameOf(whole(pieces.slice(0, to))).handle);
        expect(read(vault, handle)).toBe(whole(pieces.slice(0, to)));
        from = to;
      }
      expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
    });
    fc.assert(grows, { numRuns: 20 });
  });

  it("writes what was added and little more", () => {
    const vault = open();
    const content = new GrowingContent();
    vault.put(grow(content, 0, 400), { session: "s" });
    const before = new Set(files());
    vault.put(grow(content, 400, 404), { session: "s" });
    const added = files().filter((name) => !before.has(name));
    expect(added.length).toBeLessThan(8);
  });

  it("may be texts of which each ends a list by itself", () => {
    const long = Array.from({ length: 300 }, (_, at) => text(2_048 + ((at * 61) % 2_048), at));
    const content = new GrowingContent();
    const vault = open();
    for (const [from, to] of [
      [0, 1],
      [1, 7],
      [7, 150],
      [150, 300],
    ] as const) {
      content.append(long.slice(from, to));
      const { handle } = vault.put(
        content.current(() => long.slice(0, to)),
        { session: "s" },
      );
      expect(read(vault, handle)).toBe(long.slice(0, to).join(""));
    }
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
  });

  it("is stored whole again when what it went on from was forgotten", () => {
    const vault = open();
    const content = new GrowingContent();
    vault.put(grow(content, 0, 400), { session: "s" });
    vault.forget({ session: "s" });
    const { handle } = vault.put(grow(content, 400, 404), { session: "t" });
    expect(read(vault, handle)).toBe(whole(pieces.slice(0, 404)));
  });

  it("may be JSON with an end of its own, and shares its long strings with what was stored by itself", () => {
    const values = Array.from({ length: 40 }, (_, at) => ({ at, long: text(5_000 + at, at), "\n": "→" }));
    const content = new GrowingContent();
    const piecesTo = (to: number) =>
      values
        .slice(0, to)
        .flatMap((value, at) => [at === 0 ? "[" : ",", ...jsonPieces(JSON.stringify(value))]);
    const vault = open();
    for (const { long } of values) vault.put(long, { session: "s" });
    const before = new Set(files());
    let known = 0;
    for (const to of [1, 7, 40]) {
      content.append(piecesTo(to).slice(known));
      known = piecesTo(to).length;
      const { handle } = vault.put(
        content.current(() => piecesTo(to), "]"),
        { session: "s" },
      );
      expect(handle).toBe(nameOf(JSON.stringify(values.slice(0, to))).handle);
      expect(read(vault, handle)).toBe(JSON.stringify(values.slice(0, to)));
    }
    expect(files().filter((name) => !before.has(name)).length).toBeLessThan(12);
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [] });
  });

  it("is stored whole in a second vault", () => {
    const content = new GrowingContent();
    memoryVault().put(grow(content, 0, 400), { session: "s" });
    const vault = open();
    const { handle } = vault.put(grow(content, 400, 410), { session: "s" });
    expect(read(vault, handle)).toBe(whole(pieces.slice(0, 410)));
  });
});
