// Frames as they come over a socket: in pieces, together, broken, and without an end.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, lineReader, readRequest, readResponse } from "./frames.ts";

describe("lineReader", () => {
  it("gives the same lines however they are cut", () => {
    const line = fc.string().map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
        let rest = lines.map((text) => `${text}\n`).join("");
        const reader = lineReader(10_000);
        const read: string[] = [];
        for (const cut of [...cuts, rest.length]) {
          read.push(...(reader.push(rest.slice(0, cut)) ?? ["refused"]));
          rest = rest.slice(cut);
        }
        expect(read).toEqual(lines);
      }),
    );
  });

  it("refuses a line above its limit, and everything after it", () => {
    const reader = lineReader(10);
    expect(reader.push("short\nmuch too ")).toEqual(["short"]);
    expect(reader.push("long")).toBeUndefined();
    expect(reader.push("\nshort\n")).toBeUndefined();
    expect(lineReader(3).push("abcd\n")).toBeUndefined();
  });

  it("passes over empty lines", () => {
    expect(lineReader(10).push("\n\na\n\n")).toEqual(["a"]);
  });
});

describe("frames", () => {
  it("come back as they were sent", () => {
    const request = { v: 1, id: "7", op: "forget", args: { session: "s\n1" } };
    expect(readRequest(encodeFrame(request).trimEnd())).toEqual(request);
    const answer = { v: 1, id: "7", ok: true, data: { added: 3 } } as const;
    expect(readResponse(encodeFrame(answer).trimEnd())).toEqual(answer);
    const refusal = {
      v: 1,
      id: "7",
      ok: false,
      error: { code: "usage", message: "no", fix: "yes" },
    } as const;
    expect(readResponse(encodeFrame(refusal).trimEnd())).toEqual(refusal);
  });

  it.each([
    "",
    "[]",
    "null",
    "7",
    "{",
    '{"v":1}',
    '{"v":2,"id":"a","op":"ping"}',
    '{"v":1,"id":1,"op":"ping"}',
  ])("%j is no request", (line) => expect(readRequest(line)).toHaveProperty("problem"));

  it.each([
    "HTTP/1.1 400 Bad Request",
    "{}",
    '{"v":1,"id":"a"}',
    '{"v":1,"id":"a","ok":false}',
    '{"id":"a","ok":true}',
  ])("%j is no response", (line) => expect(readResponse(line)).toBeUndefined());
});
