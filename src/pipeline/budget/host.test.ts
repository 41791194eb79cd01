// One result at a time, for an agent that stores what it is told to store.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionPlace } from "../../home/index.ts";
import { recall } from "../../vault/index.ts";
import { memorySession, openSession, type Session } from "../session.ts";
import { settingsFor } from "../settings.ts";
import { budgetForHost, type HostResult } from "./host.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at} of the output`).join("\n");

const bash = (content: unknown, more: Partial<HostResult> = {}): HostResult => ({
  toolUseId: "toolu_1",
  tool: "Bash",
  content,
  isError: false,
  ...more,
});

const options = { model: "claude-opus-5-5", now: 1_000 };
const folders: string[] = [];

function sessionOnDisk(): { session: Session; again: () => Session } {
  const folder = mkdtempSync(path.join(tmpdir(), "host-"));
  folders.push(folder);
  const place: SessionPlace = { project: "p", session: "s", folder: path.join(folder, "s") };
  const again = (): Session => openSession(place, { vault: path.join(folder, "vault") });
  return { session: again(), again };
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("a result that the agent is about to store", () => {
  it("stays as it is below the limit, and nothing is written", () => {
    const session = memorySession("s");
    expect(budgetForHost(session, bash("short"), options)).toBeUndefined();
    expect(session.ledger.entries()).toEqual([]);
  });

  it("above it becomes a preview with its file and its handle, and both give every byte", () => {
    const { session } = sessionOnDisk();
    const whole = lines(2_000);
    const { content, entry } = budgetForHost(session, bash(whole), options) ?? {};
    const text = String(content);
    expect(text).toMatch(/^<persisted-output>/);
    expect(text.length).toBeLessThan(2_000);
    const file = /saved to: (\S+)/.exec(text)?.[1] ?? "";
    const handle = /recall (tl:\w+)/.exec(text)?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toBe(whole);
    expect(Buffer.from(recall(session.vault, handle, {}).bytes).toString()).toBe(whole);
    expect(entry).toMatchObject({ by: "host", level: "budget", handles: [handle] });
    expect(session.ledger.entries()).toEqual([entry]);
  });

  it("that comes again, also to another process, gets the same answer and no second entry", () => {
    const { session, again } = sessionOnDisk();
    const first = budgetForHost(session, bash(lines(2_000)), options);
    const second = budgetForHost(again(), bash(first?.content), options);
    expect(second).toEqual(first);
    expect(again().ledger.entries()).toHaveLength(1);
  });

  it("of which the agent shows a preview already gets one with a handle, and keeps the agent's own file", () => {
    const { session } = sessionOnDisk();
    const whole = { text: lines(9_000), file: "/agent/tool-results/b1.txt" };
    const preview = `<persisted-output>\nOutput too large. Full output saved to: ${whole.file}\n</persisted-output>`;
    const { content } = budgetForHost(session, bash(preview, { whole }), options) ?? {};
    expect(String(content)).toContain(`saved to: ${whole.file}`);
    const handle = /recall (tl:\w+)/.exec(String(content))?.[1] ?? "";
    expect(Buffer.from(recall(session.vault, handle, {}).bytes).toString()).toBe(whole.text);
  });

  it("keeps its images where they are", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const parts = [{ type: "text", text: lines(2_000) }, image];
    const { content } = budgetForHost(memorySession("s"), bash(parts), options) ?? {};
    expect(content).toMatchObject([{ type: "text" }, image]);
  });

  it("of our own tools is never touched", () => {
    const own = bash(lines(2_000), { tool: "mcp__mods-throughline__recall" });
    expect(budgetForHost(memorySession("s"), own, options)).toBeUndefined();
  });

  it("follows the fixed constants under the policy seed", () => {
    const session = memorySession("s", { settings: settingsFor("seed") });
    expect(budgetForHost(session, bash("x".repeat(50_000)), options)).toBeUndefined();
    const { content } = budgetForHost(session, bash("x".repeat(50_001), { toolUseId: "t2" }), options) ?? {};
    expect(String(content)).toContain("Output too large (50001 chars)");
  });
});
