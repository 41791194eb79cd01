// The estimator's sense of proportion: which kinds of text are dense, and what is not text at all.
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/index.ts";
import { estimateMessage, estimateText, estimateTokens } from "./estimate.ts";
import { lookupModel } from "./models.ts";

const perToken = (text: string): number => text.length / estimateText(text, "old");

const english = "The counter keeps the last exact total and estimates only what was added after it. ".repeat(
  20,
);
const code =
  "export function sum(values: readonly number[]): number {\n  let total = 0;\n  for (const value of values) {\n    total += value * 2;\n  }\n  return total;\n}\n".repeat(
    20,
  );
const chinese = "上下文窗口在压缩之前会保存所有内容，需要时再取回。".repeat(20);

describe("estimateText", () => {
  it("gives English four to five and a half characters a token", () => {
    expect(perToken(english)).toBeGreaterThan(4);
    expect(perToken(english)).toBeLessThan(5.5);
  });

  it("gives code two and a half to four", () => {
    expect(perToken(code)).toBeGreaterThan(2.5);
    expect(perToken(code)).toBeLessThan(4);
  });

  it("gives Chinese about one character a token", () => {
    expect(perToken(chinese)).toBeGreaterThan(0.7);
    expect(perToken(chinese)).toBeLessThan(1.3);
  });

  it("counts random characters densely", () => {
    const random = Buffer.from(english).toString("base64");
    expect(perToken(random)).toBeLessThan(2);
    expect(perToken("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")).toBeLessThan(2);
  });

  it("counts numbers in groups of three digits", () => {
    expect(estimateText("123456789012", "old")).toBeGreaterThanOrEqual(4);
    expect(estimateText("123456789012", "old")).toBeLessThanOrEqual(8);
  });

  it("counts a ruler as a few tokens", () => {
    expect(estimateText("-".repeat(80), "old")).toBeLessThan(10);
  });

  it("an empty text costs nothing, and more text never costs less", () => {
    expect(estimateText("", "old")).toBe(0);
    for (let end = 1; end < 400; end++)
      expect(estimateText(code.slice(0, end + 1), "old") + 1).toBeGreaterThanOrEqual(
        estimateText(code.slice(0, end), "old"),
      );
  });

  it("the new family counts more for code, and about the same for Chinese", () => {
    const growth = (text: string): number => estimateText(text, "new") / estimateText(text, "old");
    expect(growth(code)).toBeGreaterThan(1.15);
    expect(growth(chinese)).toBeLessThan(1.1);
  });
});

const png = (width: number, height: number): string => {
  const head = Buffer.alloc(24);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString("base64");
};

const image = (data: string): Message => ({
  role: "user",
  content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
});

describe("estimateMessage", () => {
  it("counts images by their pixels, scaled down to what a model looks at", () => {
    expect(estimateMessage(image(png(750, 100)), "old")).toBe(100);
    expect(estimateMessage(image(png(4_000, 4_000)), "old")).toBe(1_600);
    expect(estimateMessage(image(png(4_000, 4_000)), "new")).toBe(5_000);
    expect(estimateMessage(image("bm90IGFuIGltYWdl"), "old")).toBe(1_600);
  });

  it("finds the size of a JPEG behind other segments", () => {
    const segment = Buffer.from("ffe000080102030405", "hex").subarray(0, 9);
    const frame = Buffer.from("ffc0001108", "hex");
    const size = Buffer.alloc(12);
    size.writeUInt16BE(300, 0);
    size.writeUInt16BE(500, 2);
    const bytes = Buffer.concat([Buffer.from("ffd8", "hex"), segment, Buffer.from([6]), frame, size]);
    expect(estimateMessage(image(bytes.toString("base64")), "old")).toBe(200);
  });

  it("counts sealed thinking by its signature, and unsealed thinking by its text", () => {
    const sealed = (text: string, signature: string): number =>
      estimateMessage(
        { role: "assistant", content: [{ type: "thinking", thinking: text, signature }] },
        "old",
      );
    expect(sealed("", "x".repeat(5_180))).toBe(995);
    expect(sealed(english, "x".repeat(5_180))).toBe(sealed("", "x".repeat(5_180)));
    expect(sealed(english, "")).toBeCloseTo(estimateText(english, "old"), -1);
  });

  it("counts a call by its parameters as the model reads them, without JSON's escapes", () => {
    const call = (text: string): number =>
      estimateMessage(
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "Write", input: { content: text } }],
        },
        "old",
      );
    const frame = call("");
    expect(call(code) - frame).toBeCloseTo(estimateText(code, "old"), -1);
  });

  it("takes a string and one text block for the same", () => {
    const block: Message = { role: "user", content: [{ type: "text", text: english }] };
    expect(estimateMessage({ role: "user", content: english }, "old")).toBe(estimateMessage(block, "old"));
  });

  it("counts blocks of a kind it does not know, and nested results", () => {
    const strange: Message = { role: "user", content: [{ type: "strange", note: english }] };
    expect(estimateMessage(strange, "old")).toBeGreaterThan(estimateText(english, "old") * 0.9);
    const nested: Message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: english }] }],
    };
    expect(estimateMessage(nested, "old")).toBeGreaterThan(estimateText(english, "old"));
  });

  it("notices content that was replaced in place", () => {
    const message = { role: "user" as const, content: "short" };
    const before = estimateMessage(message, "old");
    message.content = english;
    expect(estimateMessage(message, "old")).toBeGreaterThan(before);
  });
});

describe("estimateTokens", () => {
  const history: Message[] = [
    { role: "user", content: "first" },
    { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "x".repeat(10_180) }] },
    { role: "user", content: "second" },
  ];

  it("drops the thinking of earlier turns in the legacy regime only", () => {
    const legacy = estimateTokens(history, { model: lookupModel("claude-sonnet-4-5") });
    const kept = estimateTokens(history, { model: lookupModel("claude-opus-4-5") });
    expect(kept - legacy).toBeCloseTo(1_990, -1);
  });

  it("keeps the thinking of a turn whose tools still run", () => {
    const open: Message[] = [
      ...history.slice(0, 2),
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] },
    ];
    expect(estimateTokens(open, { model: lookupModel("claude-sonnet-4-5") })).toBeGreaterThan(1_990);
  });

  it("adds system prompt and tools", () => {
    const model = lookupModel("claude-opus-4-6");
    const bare = estimateTokens(history, { model });
    const withSystem = estimateTokens(history, { model, system: english });
    expect(withSystem - bare).toBeCloseTo(estimateText(english, "old"), -1);
    expect(estimateTokens(history, { model, system: [{ type: "text", text: english }] })).toBeCloseTo(
      withSystem,
      -1,
    );
    expect(
      estimateTokens(history, { model, tools: [{ name: "Read", description: english }] }),
    ).toBeGreaterThan(withSystem);
  });
});
