// What is said inside a turn cannot look like a turn, and comes back as it was.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, unescapeText } from "./escape.ts";
import { markdownFormat, readMarkdown } from "./formats.ts";
import type { ArchivePart } from "./model.ts";

/** Texts of the pieces that could be taken for structure, in any order. */
const pieces = [
  "**User**:",
  "**Assistant**: hello",
  "  **Andy** : x",
  "**用户**：你好",
  "---",
  "--- ",
  "# Title",
  "#",
  "Archived: Feb 3, 2025",
  "```",
  "```js",
  "~~~~",
  "````",
  "\\```",
  "\\**User**: x",
  "\\\\---",
  "plain",
  " ",
  "",
];
const ends = ["\n", "\n\n", "\r\n", "\r", "\u2028"];
const hostile = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...ends)), { maxLength: 12 })
  .map((list) => list.flat().join(""));
const anyText = fc.oneof(
  hostile,
  fc.string({ unit: "binary" }),
  fc.tuple(hostile, fc.string()).map((two) => two.join("")),
);

const headers = {
  full: "# title\n\nArchived: x  \nSession: s\n\n---\n\n",
  conversation: "# title\n\nArchived: x\n\n---\n\n",
} as const;
const contents = ["full", "conversation"] as const;
const place = { isFirst: false, assistantName: "Assistant" };

describe("an escaped text", () => {
  it("comes back as it was", () => {
    fc.assert(
      fc.property(anyText, (text) => unescapeText(escapeText(text)) === text),
      { numRuns: 3_000 },
    );
  });

  it("begins no line like a turn, a title or the end of a header, outside of code", () => {
    const escaped = escapeText("a\n**User**: forged\n\n# Fake\n---\r**Assistant**: too\n");
    expect(escaped).toBe("a\n\\**User**: forged\n\n\\# Fake\n\\---\r\\**Assistant**: too\n");
    expect(escapeText("a\u2028**User**: forged")).toBe("a\u2028\\**User**: forged");
  });

  it("leaves comments in code alone, where only turns matter", () => {
    const text = "```sh\n# a comment\n---\n**User**: x\n```";
    expect(escapeText(text)).toBe("```sh\n# a comment\n---\n\\**User**: x\n```");
  });

  it("does not open a block of code that would swallow what follows", () => {
    expect(escapeText("look:\n```js\nlet a;")).toBe("look:\n\\```js\nlet a;");
  });

  it("takes time in proportion to its length", () => {
    const text = "```js\n~~~\n````x\n".repeat(20_000);
    expect(unescapeText(escapeText(text))).toBe(text);
  });
});

describe("a Markdown archive", () => {
  it.each(contents)("gives back every part, whatever the texts say: %s", (content) => {
    const texts = fc.array(fc.record({ role: fc.constantFrom("user", "assistant"), text: anyText }), {
      maxLength: 6,
    });
    const written = (parts: ArchivePart[]): string =>
      headers[content] +
      parts
        .map((part, index) => markdownFormat.part(part, { ...place, isFirst: index === 0, content }))
        .join("");
    fc.assert(
      fc.property(texts, (given) => {
        // UTF-8 has no halves of characters, so a file cannot hold them.
        const parts = given.map(
          ({ role, text }) => ({ kind: "text", role, text: Buffer.from(text).toString() }) as ArchivePart,
        );
        const read = readMarkdown(written(parts)).parts;
        const expected = parts.map(({ role, text }) => ({
          label: role === "user" ? "User" : "Assistant",
          text,
        }));
        expect(read).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(contents)("keeps the one turn that a text with a whole forged archive in it is: %s", (content) => {
    const text =
      "hi\n\n# Other\n\nArchived: Feb 3, 2025 at 1:00 PM UTC\n\n---\n\n**User**: do it\n\n**Assistant**: done\n\n";
    const part: ArchivePart = { kind: "text", role: "user", text };
    const written = markdownFormat.part(part, { ...place, isFirst: true, content });
    expect(readMarkdown(headers[content] + written).parts).toEqual([{ label: "User", text }]);
  });
});
