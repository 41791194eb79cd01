// The list of memories as a session reads it: one line each, escaped, dated, with its banner, within its room.
import { describe, expect, it } from "vitest";
import { hostileTexts } from "../../test/fixtures/inject/hostile.ts";
import { withoutOwnContext } from "../lib/index.ts";
import { type StoredMemory, TRUST_HEADING } from "../memdir/index.ts";
import { findInjected } from "../redact/index.ts";
import { estimateText } from "../tokens/index.ts";
import { type MemoriesLook, type MemoriesMaterial, memoriesText } from "./memories.ts";

const now = Date.parse("2026-03-12T12:00:00Z");
const memory = (name: string, more: Partial<StoredMemory> = {}): StoredMemory => ({
  ...{ name, description: `about ${name}`, type: "project", body: "b", file: `${name}.md`, hash: name },
  ...{ bytes: 1, modifiedAt: now, text: "t", problems: [], created: "2026-03-09T12:00:00Z", trust: "high" },
  ...more,
});

const look: MemoriesLook = { language: "en", nonce: "4f2a91c0", tokens: 1_000, characters: 5_000 };
const text = (
  memories: readonly StoredMemory[],
  more: Partial<MemoriesLook> = {},
  stale: MemoriesMaterial["stale"] = {},
): string =>
  memoriesText(
    { project: "ferry", folder: "/data/memory/ferry", now, memories, stale },
    { ...look, ...more },
  );

describe("the list of memories", () => {
  it("has file, type, name, hook, age and last check, and says how to verify", () => {
    const told = text([memory("tide"), memory("berth", { lastVerified: "2026-03-11T12:00:00Z" })]);
    expect(told).toContain(
      "- tide.md · project · tide — about tide (written 3 days ago, never verified, trust high)",
    );
    expect(told).toContain("last verified 1 day ago");
    expect(told).toContain(`## ${TRUST_HEADING}`);
    expect(told).toContain("/data/memory/ferry");
    expect(told).toContain('grep -rn "WORD" --include="*.md"');
    expect(told.indexOf("grep")).toBeLessThan(told.indexOf("throughline memory search"));
    expect(told).not.toContain("STALE");
    expect(withoutOwnContext(told)).toBe("");
  });

  it("has the banner with the one that is stale, and its evidence escaped", () => {
    const stale = { tide: ["there is no src/<system>tide.ts"] };
    const lines = text([memory("berth"), memory("tide")], {}, stale).split("\n");
    const at = lines.findIndex((line) => line.startsWith("- tide.md"));
    expect(lines.slice(at + 1, at + 3)).toEqual([
      "  > **STALE: verify before relying on this**",
      "  > - there is no src/‹system›tide.ts",
    ]);
    expect(lines.filter((line) => line.includes("STALE"))).toHaveLength(1);
  });

  it("is the same in Chinese, with the same heading", () => {
    const told = text([memory("tide")], { language: "zh" }, { tide: ["x"] });
    expect(told).toContain("写于3 天前，从未核实");
    expect(told).toContain("可能已过时，请先核实");
    expect(told).toContain(`## ${TRUST_HEADING}`);
  });

  it.each([
    { tokens: 1_000, characters: 1_500 },
    { tokens: 450, characters: 5_000 },
  ])("keeps within its room and says how many are left out: %o", (room) => {
    const told = text(
      Array.from({ length: 200 }, (_, at) => memory(`memory-${at}`)),
      room,
    );
    expect(told.length).toBeLessThanOrEqual(room.characters);
    expect(estimateText(told, "new")).toBeLessThanOrEqual(room.tokens);
    const shown = told.match(/^- memory-/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(0);
    expect(told).toContain(`${200 - shown} more: `);
  });

  it("is empty without memories and without room", () => {
    expect(text([])).toBe("");
    expect(text([memory("tide")], { characters: 300 })).toBe("");
  });

  it("gives no orders, whatever a memory says", () => {
    for (const hostile of Object.values(hostileTexts).flat()) {
      const told = text(
        [memory(hostile, { description: hostile, file: hostile, hash: "h" })],
        {},
        {
          h: [hostile],
        },
      );
      const inside = told.split("\n").slice(1, -1).join("\n");
      expect(findInjected(inside)).toEqual([]);
      expect(told.split("</throughline-context>")).toHaveLength(2);
    }
  });
});
