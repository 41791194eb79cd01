// What only a vault on disk can meet: damage, torn lines, leftovers, other processes, a folder that is none.
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openVault } from "./index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-vault-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const one = { session: "one" };
const blobFile = (sha256: string): string => path.join(folder, "blobs", sha256.slice(0, 2), sha256);
const originsFile = (): string => path.join(folder, "origins", "one.jsonl");
const everyFile = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());

describe("a vault's folder", () => {
  it("is not touched by looking into it", () => {
    const vault = openVault(path.join(folder, "new"));
    expect([vault.list(), vault.sessions(), vault.stats().blobs, vault.verify().blobs]).toEqual([
      [],
      [],
      0,
      0,
    ]);
    expect(() => vault.read("tl:0123456789ab")).toThrow(expect.objectContaining({ code: "not-found" }));
    vault.sweep({ live: [], maxBytes: 0 });
    vault.forget(one);
    expect(existsSync(path.join(folder, "new"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("is for its owner alone", () => {
    const inner = path.join(folder, "inner");
    openVault(inner).put("x", one);
    for (const name of ["", ...readdirSync(inner, { recursive: true, encoding: "utf8" })]) {
      const stat = statSync(path.join(inner, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isFile() ? 0o600 : 0o700]);
    }
  });

  it("holds what compresses in less space", () => {
    const vault = openVault(folder);
    const { sha256 } = vault.put("the same line\n".repeat(1_000), one);
    expect(statSync(blobFile(sha256)).size).toBeLessThan(1_000);
    expect(vault.stats()).toMatchObject({ rawBytes: 14_000, storedBytes: statSync(blobFile(sha256)).size });
  });

  it("gives a clear error when it is a file", () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    expect(() => openVault(file).put("x", one)).toThrow(
      expect.objectContaining({ code: "io-failed", fix: expect.any(String) }),
    );
  });
});

describe("a damaged blob", () => {
  const damages: [string, (file: string) => void][] = [
    ["emptied", (file) => truncateSync(file, 0)],
    ["cut short", (file) => truncateSync(file, statSync(file).size - 1)],
    ["overwritten", (file) => writeFileSync(file, "something else")],
    ["replaced by a valid blob of other content", (file) => writeFileSync(file, "\0\x01\0\0\0\0\0y")],
  ];

  it.each(damages)(
    "is never given back when it was %s; putting the content again repairs it",
    (_how, damage) => {
      const text = "valuable ".repeat(50);
      const { handle, sha256 } = openVault(folder).put(text, one);
      const file = blobFile(sha256);
      damage(file);
      const vault = openVault(folder);
      expect(() => vault.read(handle)).toThrow(
        expect.objectContaining({ code: "vault-corrupt", message: expect.stringContaining(file) }),
      );
      expect(vault.verify().corrupt).toEqual([{ handle, sha256, file }]);
      vault.put(text, one);
      expect(Buffer.from(vault.read(handle)).toString()).toBe(text);
    },
  );

  it("is reported as missing when it is gone, and can then be forgotten", () => {
    const vault = openVault(folder);
    const { handle, sha256 } = vault.put("x", { session: "one", toolUseId: "toolu_1" });
    rmSync(blobFile(sha256));
    expect(vault.verify().missing.map((entry) => entry.toolUseId)).toEqual(["toolu_1"]);
    expect(() => vault.read("toolu_1")).toThrow(expect.objectContaining({ code: "not-found" }));
    expect(vault.forget({ handle })).toEqual({ deleted: [], kept: [], originsRemoved: 1 });
  });
});

describe("the origins on disk", () => {
  it("lose a torn last line, never the lines before it or after it", () => {
    const first = openVault(folder).put("first", one);
    appendFileSync(originsFile(), '{"v":1,"at":1,"sha2');
    const vault = openVault(folder);
    expect(vault.list(one).map((blob) => blob.handle)).toEqual([first.handle]);
    const second = vault.put("second", one);
    for (const reader of [vault, openVault(folder)]) {
      expect(reader.list(one).map((blob) => blob.handle)).toEqual(
        expect.arrayContaining([first.handle, second.handle]),
      );
      expect(reader.verify()).toMatchObject({ missing: [], orphans: [] });
    }
  });

  it("are seen by another vault on the folder as soon as they are written, and as soon as they are forgotten", () => {
    const [writer, reader] = [openVault(folder), openVault(folder)];
    expect(reader.sessions()).toEqual([]);
    for (const text of ["a", "b", "c"]) {
      const { handle } = writer.put(text, one);
      expect(reader.list(one).map((blob) => blob.handle)).toContain(handle);
    }
    reader.forget({ handle: reader.list(one)[0]?.handle ?? "" });
    expect(writer.list(one)).toHaveLength(2);
    writer.forget(one);
    expect(reader.sessions()).toEqual([]);
  });

  it("keep the lines of a later format when others are forgotten", () => {
    const vault = openVault(folder);
    const { handle } = vault.put("x", one);
    appendFileSync(originsFile(), '{"v":2,"from":"the future"}\n');
    vault.forget({ handle });
    expect(readFileSync(originsFile(), "utf8")).toBe('{"v":2,"from":"the future"}\n');
  });
});

describe("what a killed writer leaves", () => {
  it("is ignored, shown by verify and removed by sweep once no writer can still want it", () => {
    const vault = openVault(folder);
    const { handle, sha256 } = vault.put("x", one);
    const stray = path.join(path.dirname(blobFile(sha256)), `.${sha256}.0123456789ab.tmp`);
    writeFileSync(stray, "half");
    expect(vault.list().map((blob) => blob.handle)).toEqual([handle]);
    expect(vault.verify().strays).toEqual([stray]);
    expect(vault.sweep({ live: [] }).strays).toEqual([]);
    utimesSync(stray, 0, 0);
    expect(vault.sweep({ live: [], dryRun: true }).strays).toEqual([stray]);
    expect(existsSync(stray)).toBe(true);
    expect(vault.sweep({ live: [] }).strays).toEqual([stray]);
    expect(existsSync(stray)).toBe(false);
  });
});

describe("after forgetting", () => {
  it.each(["handle", "session"] as const)(
    "by %s, nothing of the content is on disk, leftovers included",
    (by) => {
      const vault = openVault(folder);
      // Random letters do not compress, so the file would show the text itself.
      const secret = "q7Zk9xWv2Lp4";
      const { handle, sha256 } = vault.put(secret, { session: "one", note: secret });
      vault.put("harmless", { session: "one", item: "2" });
      const leftovers = [`blobs/${sha256.slice(0, 2)}/.${sha256}.00aa.tmp`, "origins/.one.jsonl.00aa.tmp"];
      for (const name of leftovers) writeFileSync(path.join(folder, name), secret);
      vault.forget(by === "handle" ? { handle } : one);
      const holding = everyFile().filter(
        (file) => file.includes(sha256) || readFileSync(file).includes(secret),
      );
      expect(holding).toEqual([]);
      expect(vault.list()).toHaveLength(by === "handle" ? 1 : 0);
    },
  );
});
