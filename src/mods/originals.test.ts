// What a compaction is made of: every message once, and everything that was announced and still holds.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { textOf } from "../messages/index.ts";
import { readConversation } from "../transcript/index.ts";
import type { HostRow } from "./hostRows.ts";
import { announcements, originalMessages } from "./hostRows.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const second = (at: number): string => new Date(Date.UTC(2026, 10, 1) + at * 1_000).toISOString();

/** Rows as Claude Code writes them, each behind the one before. */
function transcript() {
  const rows: object[] = [];
  let parent: string | null = null;
  const add = (uuid: string, at: number, row: object): void => {
    rows.push({
      parentUuid: parent,
      isSidechain: false,
      uuid,
      timestamp: second(at),
      sessionId: "s",
      ...row,
    });
    parent = uuid;
  };
  return {
    said: (uuid: string, at: number, role: "user" | "assistant", content: string) =>
      add(uuid, at, {
        type: role,
        message:
          role === "user"
            ? { role, content }
            : { role, id: uuid, content: [{ type: "text", text: content }] },
      }),
    announced: (uuid: string, at: number, type: string, text: string) =>
      add(uuid, at, {
        type: "attachment",
        attachment: { type },
        rendered: [{ content: text }],
        renderedRole: "user",
      }),
    compacted: (uuid: string, at: number) => {
      const before = parent;
      parent = null;
      add(uuid, at, {
        type: "system",
        subtype: "compact_boundary",
        logicalParentUuid: before,
        compactMetadata: { trigger: "auto", preTokens: 1 },
      });
    },
    read: () => {
      const folder = mkdtempSync(path.join(tmpdir(), "originals-"));
      folders.push(folder);
      const file = path.join(folder, "s.jsonl");
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      return readConversation(file);
    },
  };
}

const row = (handle: string, text: string): HostRow => ({ role: "user", text, toolUses: [], handle });
const textsOf = (items: ReturnType<typeof originalMessages>): string[] =>
  items.map(({ message }) => textOf(message.content));

describe("the messages of a compaction", () => {
  it("are the originals, without what an earlier compaction put back", async () => {
    const file = transcript();
    file.said("u1", 1, "user", "first request");
    file.said("a1", 2, "assistant", "first answer");
    file.compacted("b1", 10);
    file.said("u2", 9, "user", "This session is being continued: a summary");
    file.said("a2", 9, "assistant", "first answer");
    file.said("u3", 20, "user", "first request");
    const rows = [row("u2", "a summary"), row("a2", "first answer"), row("u3", "first request")];
    expect(textsOf(originalMessages(await file.read(), rows))).toEqual([
      "first request",
      "first answer",
      "first request",
    ]);
  });

  it("include those that are not in the file yet", async () => {
    const file = transcript();
    file.said("u1", 1, "user", "first request");
    const rows = [row("u1", "first request"), row("u2", "not written yet")];
    expect(textsOf(originalMessages(await file.read(), rows))).toEqual(["first request", "not written yet"]);
  });

  it("are the rows themselves where the file is another one", async () => {
    const file = transcript();
    file.said("u1", 1, "user", "of another session");
    expect(textsOf(originalMessages(await file.read(), [row("x", "here")]))).toEqual(["here"]);
  });
});

describe("what was announced", () => {
  it("is told as it stands: the last place and model, and every tool, agent and skill that was added", async () => {
    const file = transcript();
    file.said("u1", 1, "user", "begin");
    file.announced("e1", 1, "environment", "in /a");
    file.announced("t1", 1, "deferred_tools_delta", "tools A");
    file.announced("d1", 1, "date", "today");
    file.said("a1", 2, "assistant", "moved");
    file.announced("e2", 3, "environment", "in /b");
    file.announced("t2", 3, "deferred_tools_delta", "tools B");
    file.announced("s1", 3, "skill_listing", "skills");
    expect(announcements(await file.read())).toEqual(["in /b", "tools A", "tools B", "skills"]);
  });

  it("outlives a compaction of ours, and begins anew with one of Claude Code's own", async () => {
    const file = transcript();
    file.said("u1", 1, "user", "begin");
    file.announced("e1", 1, "environment", "in /a");
    file.announced("t1", 1, "deferred_tools_delta", "tools A");
    file.compacted("b1", 10);
    file.said("u2", 9, "user", "a summary");
    file.announced("t2", 11, "deferred_tools_delta", "tools B");
    expect(announcements(await file.read())).toEqual(["in /a", "tools A", "tools B"]);
    file.compacted("b2", 20);
    file.said("u3", 21, "user", "another summary");
    file.announced("e2", 22, "environment", "in /a");
    file.announced("t3", 22, "deferred_tools_delta", "tools A and B");
    expect(announcements(await file.read())).toEqual(["in /a", "tools A and B"]);
  });
});
