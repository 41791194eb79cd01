// The status line, from what Claude Code 2.1.325 hands over.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandLine } from "../../../../test/commandLine.ts";
import { statusLine } from "./line.ts";

const terminal = commandLine();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-status-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = Date.parse("2026-11-18T12:00:00Z");
const given = (more: object = {}): string =>
  JSON.stringify({
    cost: { total_cost_usd: 0.052508 },
    context_window: {
      context_window_size: 1_000_000,
      current_usage: { input_tokens: 13_000, output_tokens: 11, cache_read_input_tokens: 140_000 },
    },
    prompt_cache: { warm: false, expires_at: null },
    ...more,
  });

describe("the status line", () => {
  it("shows the window, the cost and the cache", () => {
    expect(statusLine(given(), now)).toBe("153k of 1M (15 %) · $0.05 · cache cold");
    const warm = (expires_at: unknown): string =>
      statusLine(given({ prompt_cache: { warm: true, expires_at } }), now);
    expect(warm("2026-11-18T12:03:30Z")).toContain("cache warm 4 min");
    expect(warm(now / 1_000 + 60)).toContain("cache warm 1 min");
    expect(warm(now - 1)).toContain("cache cold");
    expect(warm(null)).toMatch(/cache warm$/);
  });

  it("shows the last compaction of the transcript", () => {
    const file = path.join(folder, "s.jsonl");
    const row = (timestamp: string): string =>
      `${JSON.stringify({ type: "system", subtype: "compact_boundary", timestamp })}\n`;
    writeFileSync(file, `{}\n${row("2026-11-18T01:00:00Z")}${row("2026-11-18T02:30:00Z")}{"a":1}\n`);
    const local = new Date("2026-11-18T02:30:00Z").toTimeString().slice(0, 5);
    expect(statusLine(given({ transcript_path: file }), now)).toMatch(new RegExp(` · compacted ${local}$`));
  });

  it("is empty for what it does not know", () => {
    for (const odd of ["", "no JSON", "null", "[]", "{}"]) expect(statusLine(odd, now)).toBe("");
  });

  it("stands below another one", () => {
    const { out, code } = terminal.run(["statusline", "--beside", "echo mine"], {});
    expect([code, out]).toEqual([0, "mine\n"]);
  });
});
