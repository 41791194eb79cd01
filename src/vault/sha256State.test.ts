// The hash that can be kept gives what the platform's does, however its bytes come and wherever it was kept in between.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ResumableSha256 } from "./sha256State.ts";

const exact = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000])("hashes %i bytes", (length) => {
  const bytes = Buffer.alloc(length, "abcdefg");
  expect(new ResumableSha256().update(bytes).hex()).toBe(exact(bytes));
});

it("goes on from its state, in pieces of any size", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 }), (pieces) => {
      let hash = new ResumableSha256();
      pieces.forEach((piece, at) => {
        hash.update(piece);
        expect(hash.hex()).toBe(exact(Buffer.concat(pieces.slice(0, at + 1))));
        hash = at % 2 === 0 ? new ResumableSha256(hash.state()) : hash.copy();
      });
    }),
  );
});
