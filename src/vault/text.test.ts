// Any string becomes bytes and the same string again.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packBlob, packedFacts, unpackBlob } from "./blobFormat.ts";
import { decodeText, encodeText } from "./text.ts";

const anyUnit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0xd7f0, max: 0xe00f }),
  fc.integer({ min: 0, max: 0x7f }),
);
const anyString = fc.array(anyUnit).map((units) => String.fromCharCode(...units));

describe("text as bytes", () => {
  it("comes back exactly, whatever its code units (10,000 strings)", () => {
    const comesBack = fc.property(anyString, (text) => decodeText(encodeText(text)) === text);
    fc.assert(comesBack, { numRuns: 10_000 });
  });

  it("is plain UTF-8 when it is well formed, byte order mark and all", () => {
    const text = "\ufeffa é 漢字 \u{1f980}\r\n\0";
    expect(Buffer.compare(encodeText(text), Buffer.from(text, "utf8"))).toBe(0);
    expect(decodeText(Buffer.from(text, "utf8"))).toBe(text);
  });

  it("differs for strings that differ only in a lone surrogate", () => {
    const encodings = ["a\ud800", "a\udfff", "a\ufffd"].map((text) =>
      Buffer.from(encodeText(text)).toString("hex"),
    );
    expect(new Set(encodings).size).toBe(3);
  });
});

describe("a packed blob", () => {
  it("unpacks to the same bytes and tells their number (2,000 arrays)", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(5_000).map((size) => Buffer.alloc(size, "ab")),
    );
    const comesBack = fc.property(bytes, (content) => {
      const packed = packBlob(content);
      expect(packedFacts(packed)).toEqual({ bytes: content.length, isList: false });
      expect(Buffer.from(unpackBlob(packed) as Uint8Array).equals(content)).toBe(true);
      expect(packed.length).toBeLessThanOrEqual(content.length + 7);
    });
    fc.assert(comesBack, { numRuns: 2_000 });
  });

  it("is damaged when any of it is cut off", () => {
    for (const content of [Buffer.from("x"), Buffer.alloc(5_000, "ab")]) {
      const packed = packBlob(content);
      for (let length = 0; length < packed.length; length++) {
        expect(unpackBlob(packed.subarray(0, length))).toBeUndefined();
      }
    }
  });
});
