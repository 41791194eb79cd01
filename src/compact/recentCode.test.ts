// Recent code: the lines around the latest edits, exact and in order, with their numbers, and not what is in view.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { estimateText } from "../tokens/index.ts";
import { recentCode } from "./recentCode.ts";

let serial = 0;
function call(name: string, input: object, result: string): Message[] {
  const id = `c${++serial}`;
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
  ];
}
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}→  line ${from + at};`).join("\n");
const readPart = (from: number, to: number): Message[] =>
  call("Read", { file_path: "/a", offset: from, limit: to - from + 1 }, numbered(from, to));
const edit = (from: string, to: string): Message[] =>
  call("Edit", { file_path: "/a", old_string: from, new_string: to }, "ok");

interface Options {
  readonly all?: number;
  readonly keep?: number;
  readonly disk?: Readonly<Record<string, string>>;
}

function codeOf(messages: Message[], { all = 5_000, keep = 0, disk }: Options = {}): string[] {
  const history = identify([{ role: "user", content: "go" }, ...messages]);
  const kept = keep === 0 ? [] : history.slice(-keep);
  const readFile = disk && { readFile: (path: string) => disk[path] };
  return recentCode({ history, kept, all, each: 5_000, count: 5, family: "old", ...readFile });
}

describe("recent code", () => {
  it("joins the parts of a file that were read, in order", () => {
    const [text = ""] = codeOf([...readPart(40, 42), ...readPart(10, 11), ...readPart(12, 13)]);
    expect(text).toBe(`<attachment: /a>\n${numbered(10, 13)}\n…\n${numbered(40, 42)}`);
  });

  it("makes later edits and moves the numbers behind them", () => {
    const [text = ""] = codeOf([
      ...readPart(1, 3),
      ...readPart(8, 8),
      ...edit("  line 2;", "  two;\n  and more;"),
    ]);
    expect(text).toBe("<attachment: /a>\n1→  line 1;\n2→  two;\n3→  and more;\n4→  line 3;\n…\n9→  line 8;");
  });

  it("shows an edit outside of what was read, without a number", () => {
    expect(codeOf([...readPart(1, 1), ...edit("  unseen();", "  seen();")])).toEqual([
      "<attachment: /a>\n1→  line 1;\n…\n  seen();",
    ]);
  });

  it("prefers the surroundings of the latest edit when there is no room for all", () => {
    const messages = [
      ...call("Read", { file_path: "/a" }, numbered(1, 400)),
      ...edit("  line 300;", "  changed();"),
    ];
    const [text = ""] = codeOf(messages, { all: 150 });
    expect(text).toContain("299→  line 299;\n300→  changed();\n301→  line 301;");
    expect(estimateText(text, "old")).toBeLessThanOrEqual(150);
  });

  it("leaves out lines that are in view", () => {
    const [text = ""] = codeOf([...readPart(1, 3), ...readPart(3, 4)], { keep: 2 });
    expect(text).toBe("<attachment: /a>\n1→  line 1;\n2→  line 2;");
  });

  describe("with the disk", () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `  line ${at + 1};`);

    it("shows the lines around the latest edits as they are now, also those that were never read", () => {
      const content = ["  new();", ...lines(40).with(19, "  twenty();")].join("\n");
      const [text = ""] = codeOf([...readPart(18, 20), ...edit("  line 20;", "  twenty();")], {
        disk: { "/a": content },
      });
      expect(text).toContain("19→  line 18;\n20→  line 19;\n21→  twenty();\n22→  line 21;");
      expect(text).not.toContain("new();");
    });

    it("leaves out what was changed since, and files that are gone", () => {
      const messages = [...readPart(1, 3), ...call("Read", { file_path: "/gone" }, "1→  secret();")];
      expect(codeOf(messages, { disk: { "/a": "  line 1;\n  other();\n  line 3;" } })).toEqual([
        "<attachment: /a>\n1→  line 1;\n…\n3→  line 3;",
      ]);
    });

    it("shows no line whose place in the file is not known", () => {
      expect(codeOf(readPart(2, 2), { disk: { "/a": "  line 2;\n  x();\n  line 2;" } })).toEqual([]);
    });
  });
});
