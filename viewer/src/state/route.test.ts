// The address holds the whole state: writing and reading it gives the same route.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf, readAddress, routeOn, signInCodeIn } from "./route.ts";

describe("an address", () => {
  it("names the page, the session and the filters", () => {
    expect(readAddress("#/timeline?type=bugfix&file=a%2Fb.ts")).toEqual({
      page: "timeline",
      filters: { type: "bugfix", file: "a/b.ts" },
    });
    expect(readAddress("#/session/3f2a?view=window")).toEqual({
      page: "session",
      id: "3f2a",
      filters: { view: "window" },
    });
  });

  it.each(["", "#", "#/", "#/nowhere", "#code=x", "#/session", "#/session/", "#/%E0%A4%A"])(
    "%j is the first page",
    (hash) => {
      expect(readAddress(hash).page).toBe("home");
    },
  );

  it("keeps a question mark, an escape that is none and other scripts as they are", () => {
    expect(readAddress(addressOf({ page: "search", filters: { q: "why? 100% 上下文 #12" } })).filters.q).toBe(
      "why? 100% 上下文 #12",
    );
    expect(readAddress("#/session/%E0%A4%A").id).toBe("%E0%A4%A");
  });

  it("is the same place when it is read again", () => {
    const word = fc.string({ minLength: 1, unit: "grapheme" });
    const filters = fc.dictionary(fc.constantFrom("q", "project", "type", "item"), word);
    fc.assert(
      fc.property(word, filters, (id, given) => {
        const place = { page: "session" as const, id, filters: given };
        expect(readAddress(addressOf(place))).toEqual(place);
      }),
    );
  });

  it("has one form, whatever the order, without empty filters", () => {
    const one = addressOf({ page: "live", filters: { b: "2", a: "1", c: "" } });
    expect(one).toBe(addressOf({ page: "live", filters: { a: "1", b: "2" } }));
    expect(one).toBe("#/live?a=1&b=2");
  });
});

describe("a one-time code", () => {
  it("is read from the address, and nothing else is", () => {
    expect(signInCodeIn("#code=abcDEF_-123")).toBe("abcDEF_-123");
    for (const hash of ["", "#/live", "#code=", "#code=short", "#code=a b c d e f g", "#/code=abcdefghij"]) {
      expect(signInCodeIn(hash)).toBeUndefined();
    }
  });
});

describe("another page", () => {
  it("keeps the project and drops what means nothing there", () => {
    expect(routeOn("stats", { project: "p", q: "words", item: "#1" })).toEqual({
      page: "stats",
      filters: { project: "p" },
    });
  });
});
