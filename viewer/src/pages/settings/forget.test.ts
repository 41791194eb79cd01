// Forgetting needs a scope and a typed confirmation.
import { describe, expect, it } from "vitest";
import { confirmationFor, keptTotal, parseScope } from "./forget.tsx";

const nothing = { project: "", session: "", from: "", to: "" };

describe("what is to be forgotten", () => {
  it("has to be named: nothing is never everything", () => {
    expect(parseScope(nothing)).toBeUndefined();
    expect(parseScope({ ...nothing, session: "   " })).toBeUndefined();
    expect(parseScope({ ...nothing, project: "p", from: "2026-01-01" })).toEqual({
      project: "p",
      from: "2026-01-01",
    });
  });

  it("has to be typed: the project's name, the session's beginning, or a word", () => {
    const nameOf = (): string => "ferry-times";
    expect(confirmationFor({ project: "p" }, nameOf)).toBe("ferry-times");
    expect(confirmationFor({ session: "5a3b1e70-2c4d" }, nameOf)).toBe("5a3b1e70");
    expect(confirmationFor({ from: "2026-01-01" }, nameOf)).toBe("forget");
  });

  it("is counted with everything that is no row", () => {
    const rows = { sessions: 1, events: 2, prompts: 0, observations: 0, summaries: 0, messages: 0, jobs: 0 };
    expect(
      keptTotal({ rows, vault: { blobs: 3, bytes: 10 }, folders: ["a"], spooled: 1, archives: ["b", "c"] }),
    ).toBe(10);
  });
});
