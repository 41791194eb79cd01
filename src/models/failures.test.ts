// Whatever a server says is read without fail, and a stream may be cut anywhere.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, tooLongIn } from "./failures.ts";
import { eventData } from "./providers/openaiCompatible.ts";

describe("any refusal", () => {
  it("is one of the known failures, with words of bounded length", () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.jsonValue().map((error) => ({ error })),
    );
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 300, max: 600 }), { nil: undefined }),
        body,
        (status, given) => {
          const error = failureOf({ ...(status === undefined ? {} : { status }), body: given });
          expect(error.message.length).toBeLessThanOrEqual(500);
          expect(error.message).not.toBe("");
        },
      ),
    );
  });

  it("that speaks of tokens but asks to wait is a rate limit", () => {
    const error = failureOf({ status: 429, body: { error: { message: "too many tokens per minute" } } });
    expect(error.kind).toBe("rate-limited");
  });

  it("says how long to wait as a date as well", () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const error = failureOf({
      status: 529,
      body: "",
      header: (name) => (name === "retry-after" ? later : null),
    });
    expect(error.kind === "overloaded" && Number(error.retryAfter) > 3_000_000).toBe(true);
  });

  it("counts the room for the answer where the API does", () => {
    const message = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease";
    expect(failureOf({ status: 400, body: { error: { message } } })).toMatchObject({ gap: 9_573 });
  });

  it("is not too long only because another text says so", () => {
    expect(tooLongIn("The meeting was too long.")).toBeUndefined();
  });
});

describe("a stream of events", () => {
  it("reads the same however its bytes are cut", async () => {
    const text = ': hello\r\n\r\ndata: {"a":"一"}\n\nevent: x\ndata:two\ndata: lines\r\rid: 4\ndata: last';
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const read: string[] = [];
        for await (const data of eventData(fromPieces(pieces))) read.push(data);
        expect(read).toEqual(['{"a":"一"}', "two\nlines", "last"]);
      }),
    );
  });
});

async function* fromPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
