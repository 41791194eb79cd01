// Messages that a compaction of a mod put back.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copiedEntries, readConversation } from "./conversation.ts";
import { scanEntries } from "./rows.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-copies-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (second: number): string =>
  new Date(Date.parse("2026-03-01T10:00:00Z") + second * 1_000).toISOString();

let last: string | null;

const row = (uuid: string, second: number, more: object): object => {
  const parentUuid = last;
  last = uuid;
  return { uuid, parentUuid, timestamp: at(second), sessionId: "s1", ...more };
};

const said = (uuid: string, second: number, role: "user" | "assistant", text: string): object =>
  row(uuid, second, { type: role, message: { role, content: [{ type: "text", text }] } });

/** As Claude Code writes it when a mod answers a person's wish: boundary, summary, what was kept, and the wish. */
function transcript(): string {
  last = null;
  const rows = [
    said("u1", 1, "user", "build it"),
    said("a1", 2, "assistant", "building"),
    said("u2", 3, "user", "go on"),
    {
      ...row("b1", 10, { type: "system", subtype: "compact_boundary" }),
      parentUuid: null,
      logicalParentUuid: "u2",
    },
    said("s1", 8, "user", "This session is being continued"),
    said("c1", 8, "assistant", "building"),
    said("c2", 9, "user", "go on"),
    said("w1", 7, "user", "<command-name>/compact</command-name>"),
    said("a2", 11, "assistant", "done"),
  ];
  const file = path.join(folder, "s1.jsonl");
  writeFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return file;
}

describe("messages that a compaction put back", () => {
  it("are marked, and neither the summary nor what came after is", async () => {
    const { items } = await readConversation(transcript());
    expect(items.filter(({ isCopy }) => isCopy).map(({ id }) => id)).toEqual(["c1", "c2"]);
    expect(items.filter(({ compactSummary }) => compactSummary).map(({ id }) => id)).toEqual(["s1"]);
  });

  it("are known to who reads the file entry by entry", async () => {
    const isCopy = copiedEntries();
    const copies: (string | undefined)[] = [];
    for await (const { entries } of scanEntries(transcript()))
      for (const entry of entries) if (isCopy(entry)) copies.push(entry.id);
    expect(copies).toEqual(["c1", "c2"]);
  });
});
