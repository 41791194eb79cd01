// The contract of a vault, run on the one in a folder and on the one in memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { HOUR, MINUTE, sha256 } from "../lib/index.ts";
import { memoryVault, nameOf, openVault, recall, type Vault, type VaultOptions } from "./index.ts";

const root = mkdtempSync(path.join(tmpdir(), "throughline-vault-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const kinds: [string, (options?: VaultOptions) => Vault][] = [
  ["in a folder", (options) => openVault(path.join(root, String(folders++)), options)],
  ["in memory", memoryVault],
];

const failsWith = (code: string, words = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(words), fix: expect.any(String) });

/** Two texts whose hashes begin with the same six digits. */
function lookalikes(): [string, string] {
  const seen = new Map<string, string>();
  for (let n = 0; ; n++) {
    const text = `text ${n}`;
    const prefix = sha256(text).slice(0, 6);
    const other = seen.get(prefix);
    if (other !== undefined) return [other, text];
    seen.set(prefix, text);
  }
}

describe.each(kinds)("a vault %s", (_kind, open) => {
  const one = { session: "one" };

  it("gives back what was put, by any form of the handle", () => {
    const vault = open();
    const stored = vault.put("hello", one);
    expect(stored).toEqual({
      handle: `tl:${sha256("hello").slice(0, 12)}`,
      sha256: sha256("hello"),
      bytes: 5,
    });
    for (const ref of [stored.handle, stored.sha256, `tl:${stored.sha256}`, stored.sha256.slice(0, 6)]) {
      expect(Buffer.from(vault.read(ref)).toString()).toBe("hello");
    }
    expect(vault.read(stored.handle.toUpperCase().replace("TL", "tl"))).toHaveLength(5);
  });

  it("gives back what was put together as what was put one by one", async () => {
    const [vault, other] = [open(), open()];
    const contents = ["hello", Buffer.from([0, 255, 13]), "hello", "世界".repeat(2_000)];
    const deposits = contents.map((content, at) => ({
      content,
      origin: { session: at < 2 ? "one" : "two" },
    }));
    await vault.putAll(deposits);
    for (const { content, origin } of deposits) other.put(content, origin);
    const told = (from: Vault) => [
      from
        .sessions()
        .map(({ session, blobs, bytes }) => ({ session, blobs, bytes }))
        .sort((a, b) => a.bytes - b.bytes),
      from.stats(),
      from
        .list()
        .map(({ handle, bytes }) => ({ handle, bytes }))
        .sort((a, b) => a.bytes - b.bytes),
    ];
    expect(told(vault)).toEqual(told(other));
    for (const content of contents)
      expect(Buffer.from(vault.read(nameOf(content).handle))).toEqual(Buffer.from(content));
    await vault.putAll(deposits);
    expect(told(vault)).toEqual(told(other));
    expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [], strays: [] });
  });

  it("keeps its bytes when the caller goes on to change the arrays", () => {
    const vault = open();
    const content = Buffer.from("first");
    const { handle } = vault.put(content, one);
    content.fill(0);
    vault.read(handle).fill(0);
    expect(Buffer.from(vault.read(handle)).toString()).toBe("first");
  });

  it("gives back every byte of any sequence of strings and arrays", () => {
    const unit = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff }));
    const text = fc.array(unit).map((units) => String.fromCharCode(...units));
    const contents = fc.array(fc.oneof(fc.string({ unit: "binary" }), text, fc.uint8Array()), {
      maxLength: 6,
    });
    const comesBack = fc.property(contents, (sequence) => {
      const vault = open();
      const handles = sequence.map((content) => vault.put(content, one).handle);
      for (const [index, content] of sequence.entries()) {
        const recalled = recall(vault, handles[index] ?? "");
        if (typeof content === "string") expect(recalled.text).toBe(content);
        else expect(Buffer.compare(recalled.bytes, content)).toBe(0);
      }
      expect(vault.verify()).toMatchObject({ corrupt: [], missing: [], orphans: [], strays: [] });
    });
    fc.assert(comesBack, { numRuns: 100 });
  });

  it("stores the same content once and records the same origin once", () => {
    const vault = open();
    const origin = { session: "one", toolUseId: "toolu_1", tool: "Read" };
    const first = vault.put("same", origin);
    expect(vault.put(Buffer.from("same"), origin)).toEqual(first);
    expect(vault.stats().blobs).toBe(1);
    expect(vault.origins(first.handle)).toHaveLength(1);
    vault.put("same", { ...origin, toolUseId: "toolu_2" });
    vault.put("same", { ...origin, session: "two" });
    expect(vault.origins(first.handle)).toHaveLength(3);
  });

  it("tells where bytes came from", () => {
    const vault = open({ clock: { now: () => 1_234 } });
    const origin = { session: "s/1", level: "budget", tool: "Bash", toolUseId: "t", item: "m1", note: "n\n" };
    const { handle, ...rest } = vault.put("x", origin);
    expect(vault.resolve(handle)).toEqual({
      handle,
      ...rest,
      writtenAt: 1_234,
      origins: [{ ...origin, ...rest, at: 1_234 }],
    });
  });

  it("finds a blob by its tool_use_id, in the session asked about before any other", () => {
    const vault = open();
    const here = vault.put("here", { session: "one", toolUseId: "toolu_1" });
    const there = vault.put("there", { session: "two", toolUseId: "toolu_1" });
    const hexId = vault.put("hex", { session: "two", toolUseId: "abcdef012345" });
    expect(vault.resolve("toolu_1", { session: "one" }).handle).toBe(here.handle);
    expect(vault.resolve("toolu_1", { session: "two" }).handle).toBe(there.handle);
    expect(vault.resolve("abcdef012345", { session: "one" }).handle).toBe(hexId.handle);
    expect(() => vault.resolve("toolu_1")).toThrow(failsWith("ambiguous-handle", /2 stored blobs/));
  });

  it("names the candidates when a shortened handle fits several", () => {
    const vault = open();
    const [a, b] = lookalikes().map((text) => vault.put(text, one));
    expect(() => vault.read(a?.sha256.slice(0, 6) ?? "")).toThrow(
      failsWith("ambiguous-handle", new RegExp(`(${a?.sha256}|${b?.sha256}).*(${a?.sha256}|${b?.sha256})`)),
    );
    expect(vault.resolve(a?.handle ?? "").sha256).toBe(a?.sha256);
  });

  it("says what to do about a name it does not know", () => {
    const vault = open();
    for (const ref of ["tl:0123456789ab", "0123456789ab", "toolu_unknown", ""]) {
      expect(() => vault.read(ref)).toThrow(failsWith("not-found"));
    }
    expect(() => vault.resolve("tl:xyz")).toThrow(failsWith("usage", /not a handle/));
  });

  it("lists blobs and sessions, the latest first, and adds them up", () => {
    let now = 1_000;
    const vault = open({ clock: { now: () => now++ } });
    const [a, b, c] = ["a", "bb", "ccc"].map((text, i) =>
      vault.put(text, { session: i === 1 ? "two" : "one" }),
    );
    expect(vault.list().map((blob) => blob.handle)).toEqual([c?.handle, b?.handle, a?.handle]);
    expect(vault.list({ session: "one" }).map((blob) => blob.handle)).toEqual([c?.handle, a?.handle]);
    expect(vault.list({ session: "none" })).toEqual([]);
    expect(vault.sessions()).toEqual([
      { session: "one", blobs: 2, bytes: 4, lastAt: 1_002 },
      { session: "two", blobs: 1, bytes: 2, lastAt: 1_001 },
    ]);
    expect(vault.stats()).toMatchObject({ blobs: 3, rawBytes: 6, sessions: 2 });
  });

  it("sweeps the oldest that nothing live refers to, after showing it in a preview", () => {
    let now = 0;
    const vault = open({ clock: { now: () => now } });
    const [live, old, again, young] = ["live", "old", "again", "young"].map((text, hour) => {
      now = hour * HOUR;
      return vault.put(text, one);
    });
    now = 3 * HOUR + MINUTE;
    vault.put("again", one);
    now += 5 * MINUTE;
    const rules = { live: [live?.handle ?? ""], maxBytes: 0 };
    const preview = vault.sweep({ ...rules, dryRun: true });
    expect(preview.deleted.map((blob) => [blob.handle, blob.reason])).toEqual([[old?.handle, "over-quota"]]);
    expect(vault.stats().blobs).toBe(4);
    expect(vault.sweep(rules)).toEqual({ ...preview, dryRun: false });
    expect(vault.list().map((blob) => blob.sha256)).toEqual([again?.sha256, young?.sha256, live?.sha256]);
    expect(vault.verify()).toMatchObject({ missing: [], orphans: [] });
    expect(vault.sweep({ live: [] }).deleted).toEqual([]);
  });

  it("forgets one blob and every origin of it", () => {
    const vault = open();
    const { handle } = vault.put("secret", { session: "one", toolUseId: "toolu_1" });
    vault.put("secret", { session: "two" });
    const other = vault.put("other", one);
    const { deleted, kept, originsRemoved } = vault.forget({ handle });
    expect([deleted.map((blob) => blob.handle), kept, originsRemoved]).toEqual([[handle], [], 2]);
    expect(() => vault.read("toolu_1")).toThrow(failsWith("not-found"));
    expect(() => vault.forget({ handle })).toThrow(failsWith("not-found"));
    expect(vault.list().map((blob) => blob.handle)).toEqual([other.handle]);
    expect(vault.put("secret", one).handle).toBe(handle);
    expect(vault.read(handle)).toHaveLength(6);
  });

  it("forgets a session but not what another session refers to", () => {
    const vault = open();
    const own = vault.put("own", one);
    const shared = vault.put("shared", one);
    vault.put("shared", { session: "two" });
    expect(vault.forget({ session: "one" })).toEqual({ deleted: [own], kept: [shared], originsRemoved: 2 });
    expect(vault.sessions().map(({ session }) => session)).toEqual(["two"]);
    expect(vault.read(shared.handle)).toHaveLength(6);
    expect(vault.forget({ session: "one" })).toEqual({ deleted: [], kept: [], originsRemoved: 0 });
  });

  it("keeps sessions apart whose names are the same as file names", () => {
    const vault = open();
    vault.put("a", { session: "x/y" });
    const b = vault.put("b", { session: "x-y" });
    const long = vault.put("c", { session: "会话".repeat(200) });
    vault.forget({ session: "x/y" });
    expect(vault.list({ session: "x-y" }).map((blob) => blob.handle)).toEqual([b.handle]);
    expect(vault.list({ session: "会话".repeat(200) }).map((blob) => blob.handle)).toEqual([long.handle]);
  });
});
