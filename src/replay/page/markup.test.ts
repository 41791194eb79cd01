// What other people's names can do to a page: nothing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../../test/seed.ts";
import { escapeText, foreignName, html } from "./markup.ts";

describe("a text in a template", () => {
  it.each([
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    [`" onload='x'`, "&quot; onload=&#39;x&#39;"],
    ["a & b `c`", "a &amp; b &#96;c&#96;"],
    ["to\u202ecod.exe", "to\ufffdcod.exe"],
    ["a\u0000b\u001b[31m", "a\ufffdb\ufffd[31m"],
    ["中文 é 🚢", "中文 é 🚢"],
  ])("%j becomes %j", (text, expected) => {
    expect(html`${text}`.text).toBe(expected);
  });

  it("has no character left that could begin a tag, an attribute or an entity", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeText(text);
        expect(escaped).not.toMatch(/[<>"'`\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(escaped.replace(/&(?:amp|lt|gt|quot|#39|#96);/g, "")).not.toContain("&");
      }),
      { seed: chosenSeed() },
    );
  });
});

it("puts markup into markup as it is, and nothing for what is not there", () => {
  const items = ["<", ">"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}${undefined}</ul>${3}`.text).toBe("<ul><li>&lt;</li><li>&gt;</li></ul>3");
  expect(foreignName("a<b").text).toBe("<bdi>a&lt;b</bdi>");
});
