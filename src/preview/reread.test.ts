// A file that is read again: every difference is shown, and only what really stands above is left out.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rereadOf } from "./reread.ts";

const HANDLE = "tl:0123456789ab";
const code = (at: number): string => `  const field${at} = table.column("field_${at}").notNull();`;
const file = Array.from({ length: 120 }, (_, at) => code(at));
const numbered = (lines: readonly string[]): string =>
  lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join("\n");
const first = { toolUseId: "toolu_1", text: numbered(file) };

/** The text that a reader puts together from the delta and the copies it points at. */
function rebuilt(delta: string, copies: readonly { toolUseId: string; text: string }[]): string[] {
  const bare = (line: string): string => line.replace(/^\s*\d+→/, "");
  return delta
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const gap =
        /^ {2}⋯ lines (\d+)-(\d+)(?: as in (\S+) above|, as lines (\d+)-(\d+) of (\S+) above)$/.exec(line);
      if (!gap) return [bare(line)];
      const copy = copies.find(({ toolUseId }) => toolUseId === (gap[3] ?? gap[6]))?.text.split("\n") ?? [];
      return copy.slice(Number(gap[4] ?? gap[1]) - 1, Number(gap[5] ?? gap[2])).map(bare);
    });
}

describe("a file that is read again", () => {
  it("unchanged becomes a pointer to the copy in view", () => {
    expect(rereadOf(first.text, [first], HANDLE)).toEqual({
      kind: "same",
      text: `[Unchanged: the same 120 lines as in the result of toolu_1 above. Whole text: recall ${HANDLE}]`,
    });
  });

  it("with a changed line shows that line, under its number", () => {
    const text = numbered(file.with(60, "  const renamed = 1;"));
    expect(rereadOf(text, [first], HANDLE)?.text.split("\n")).toEqual([
      `[Read again: of 120 lines 119 stand above as they are and are left out (⋯). Whole text: recall ${HANDLE}]`,
      "  ⋯ lines 1-60 as in toolu_1 above",
      "    61→  const renamed = 1;",
      "  ⋯ lines 62-120 as in toolu_1 above",
    ]);
  });

  it("with inserted lines says under which numbers the rest stands above", () => {
    const text = numbered(file.toSpliced(60, 0, "  // new", "  // lines"));
    expect(rereadOf(text, [first], HANDLE)?.text.split("\n").slice(1)).toEqual([
      "  ⋯ lines 1-60 as in toolu_1 above",
      "    61→  // new",
      "    62→  // lines",
      "  ⋯ lines 63-122, as lines 61-120 of toolu_1 above",
    ]);
  });

  it("with deleted lines lets the gap be seen", () => {
    const text = numbered(file.toSpliced(60, 3));
    expect(rereadOf(text, [first], HANDLE)?.text.split("\n").slice(1)).toEqual([
      "  ⋯ lines 1-60 as in toolu_1 above",
      "  ⋯ lines 61-117, as lines 64-120 of toolu_1 above",
    ]);
  });

  it("with its end deleted says how long it is now", () => {
    expect(rereadOf(numbered(file.slice(0, 100)), [first], HANDLE)?.text).toMatch(
      /^\[Read again: of 100 lines 100 stand above/,
    );
  });

  it("in another order is not said to stand above as it is", () => {
    const text = numbered([...file.slice(60), ...file.slice(0, 60)]);
    expect(rereadOf(text, [first], HANDLE)?.text.split("\n").slice(1)).toEqual([
      "  ⋯ lines 1-60, as lines 61-120 of toolu_1 above",
      "  ⋯ lines 61-120, as lines 1-60 of toolu_1 above",
    ]);
  });

  it("points at what an edit wrote as well", () => {
    const written = Array.from(
      { length: 20 },
      (_, at) => `  export const step${at} = () => "written by an edit";`,
    );
    const edit = { toolUseId: "toolu_2", text: written.join("\n") };
    const text = numbered([...file.slice(0, 60), ...written, ...file.slice(60)]);
    expect(rereadOf(text, [first, edit], HANDLE)?.text).toContain(
      "  ⋯ lines 61-80, as lines 1-20 of toolu_2 above",
    );
  });

  it("is shown whole where little of it stands above", () => {
    expect(rereadOf(numbered(file), [], HANDLE)).toBeUndefined();
    const other = { toolUseId: "toolu_1", text: "something else" };
    expect(rereadOf(numbered(file), [other], HANDLE)).toBeUndefined();
    expect(rereadOf("short", [{ toolUseId: "toolu_1", text: "short" }], HANDLE)).toBeUndefined();
  });

  it("can be put together again from what is shown, after any edits", () => {
    const edit = fc.record({
      at: fc.nat({ max: 120 }),
      remove: fc.nat({ max: 8 }),
      insert: fc.array(fc.constantFrom("}", "", "  return x;", code(7), code(8)), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        const lines = edits.reduce(
          (all, { at, remove, insert }) => all.toSpliced(at, remove, ...insert),
          file,
        );
        const again = rereadOf(numbered(lines), [first], HANDLE);
        if (again?.kind === "changed") {
          expect(rebuilt(again.text, [first])).toEqual(lines);
          expect(again.text.length).toBeLessThan(numbered(lines).length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("takes a moment and not more for a file of nothing but equal lines", () => {
    const text = "\n".repeat(200_000);
    expect(rereadOf(`${text}x`, [{ toolUseId: "toolu_1", text }], HANDLE)?.kind).toBe("changed");
  });
});
