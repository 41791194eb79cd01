// Archives of the conversation alone: their form to the letter, any folder, growth, and the search in all of them.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  ClaudeRows,
  type Row,
  smallSession,
  temporaryFolder,
} from "../../test/fixtures/transcript/session.ts";
import { memoryVault } from "../vault/index.ts";
import { type ArchiveOptions, archiveTranscript, conversationsFolder } from "./archive.ts";
import { listArchives, readArchive } from "./archiveIndex.ts";
import { readMarkdown } from "./formats.ts";
import { recordFiles, recordsFolder } from "./record.ts";
import { searchArchives } from "./searching.ts";

const folder = temporaryFolder();
let count = 0;

const archivedAt = Date.parse("2025-02-03T10:30:00Z");
const fresh = (more: Partial<ArchiveOptions> = {}): ArchiveOptions => ({
  dir: path.join(folder.path, `conversations-${++count}`),
  group: "main",
  content: "conversation",
  assistantName: "Andy",
  clock: { now: () => archivedAt },
  timeZone: "UTC",
  ...more,
});

const said = [
  ["user", "Generate a weekly summary of the project progress"],
  ["assistant", "I'll compile a weekly summary for you based on the recent activity..."],
  ["user", "Include git commits and any issues resolved"],
  ["assistant", "Here's the updated summary with git commit history and issue tracking..."],
] as const;

function rowsOf(messages: readonly (readonly ["user" | "assistant", string])[], title = "weekly-summary") {
  const rows = new ClaudeRows();
  const timestamp = "2025-02-03T09:00:00Z";
  rows.note("summary", { summary: title });
  messages.forEach(([role, text], index) => {
    if (role === "user") rows.user(text, { timestamp });
    else {
      // What is done in between is no part of the conversation.
      rows.assistant(`m${index}`, { type: "thinking", thinking: "hm" }, { timestamp });
      rows.call(`m${index}`, `t${index}`, { timestamp });
      rows.result(`t${index}`, { timestamp });
      rows.say(`m${index}`, text, { timestamp });
    }
  });
  return rows;
}

const lines = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** The form as NanoClaw's archiver writes it. */
function formatTranscriptMarkdown(messages: readonly (readonly [string, string])[], title: string): string {
  const out = [`# ${title}`, "", "Archived: Feb 3, 2025 at 10:30 AM", "", "---", ""];
  for (const [role, text] of messages) {
    const content = text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
    out.push(`**${role === "user" ? "User" : "Andy"}**: ${content}`, "");
  }
  return out.join("\n");
}

describe("an archive of the conversation alone", () => {
  it("is the golden file, under its name", async () => {
    const vault = memoryVault();
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(said).rows), fresh({ vault }));
    const golden = new URL("../../test/fixtures/archive/weekly-summary.md", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(readFileSync(golden, "utf8"));
    expect(file).toMatch(/\/groups\/main\/conversations\/2025-02-03-weekly-summary\.md$/);
    expect(vault.list()).toEqual([]);
  });

  it("has the form of the archiver that it follows, also for long messages", async () => {
    const messages = [
      ...said,
      ["user", "x".repeat(2000)],
      ["assistant", `如何设置触发词？ ${"y".repeat(2001)}`],
      ["user", "two\n\nparagraphs"],
    ] as const;
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(messages, "触发词").rows), fresh());
    expect(readFileSync(file, "utf8")).toBe(formatTranscriptMarkdown(messages, "触发词"));
    expect(path.basename(file)).toBe("2025-02-03-触发词.md");
    expect(readMarkdown(readFileSync(file, "utf8")).parts.at(-1)).toEqual({
      label: "User",
      text: "two\n\nparagraphs",
    });
  });

  it("joins the texts of one message, and is called a conversation where there is no title", async () => {
    const rows = new ClaudeRows();
    const content = [
      { type: "text", text: "First half, " },
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "second half." },
    ];
    rows.add("assistant", { message: { role: "assistant", model: "m", content } });
    const { file = "" } = await archiveTranscript(folder.write(rows.rows), fresh());
    expect(readFileSync(file, "utf8")).toBe(
      formatTranscriptMarkdown([["assistant", "First half, second half."]], "Conversation"),
    );
  });

  it("grows to the bytes of an archive that was written at once, also when its title changes", async () => {
    const { rows } = rowsOf(said);
    const options = fresh();
    const transcript = folder.write(rows.slice(0, 4));
    const { file: first } = await archiveTranscript(transcript, options);
    appendFileSync(transcript, lines(rows.slice(4)));
    await archiveTranscript(transcript, { ...options, content: "full" });
    appendFileSync(transcript, `${JSON.stringify({ type: "custom-title", customTitle: "renamed" })}\n`);
    const { file = "" } = await archiveTranscript(transcript, options);
    expect(file).toBe(first);
    expect(readFileSync(file, "utf8")).toBe(formatTranscriptMarkdown(said, "renamed"));
  });

  it("keeps an archive that was begun in full as it is", async () => {
    const options = fresh({ content: "full" });
    const { rows } = rowsOf(said);
    const transcript = folder.write(rows.slice(0, 4));
    await archiveTranscript(transcript, options);
    appendFileSync(transcript, lines(rows.slice(4)));
    const { file = "" } = await archiveTranscript(transcript, { ...options, content: "conversation" });
    expect(readFileSync(file, "utf8")).toMatch(/Session: [\s\S]*\*\*Tool result\*\*/);
  });

  it("is not taken for that of another session with the same title and minute", async () => {
    const options = fresh();
    const place = conversationsFolder(options.dir, options.group);
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(said).rows), {
      ...options,
      session: "one",
    });
    const before = readFileSync(file, "utf8");
    // Another one died after it had chosen the same name and before it wrote.
    const [mine, other] = [recordFiles(place, "one").record, recordFiles(place, "two").record];
    const record: object = JSON.parse(readFileSync(mine, "utf8"));
    const begun = { session: "two", growing: true, bodyBytes: 0, seenBytes: 0, sources: {} };
    writeFileSync(other, JSON.stringify({ ...record, ...begun }));
    const report = await archiveTranscript(folder.write(rowsOf(said.slice(0, 2)).rows), {
      ...options,
      session: "two",
    });
    expect(report).toMatchObject({ outcome: "created" });
    expect(report.file).not.toBe(file);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("goes into any folder, and is listed there by its group", async () => {
    const options = fresh({ groups: false });
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(said).rows), options);
    expect(file).toBe(path.join(options.dir, "2025-02-03-weekly-summary.md"));
    expect(readdirSync(options.dir).sort()).toEqual([".archive", "2025-02-03-weekly-summary.md"]);
    expect(listArchives(options.dir)).toMatchObject([
      { group: "main", title: "weekly-summary", beganAt: Date.parse("2025-02-03T09:00:00Z"), archivedAt },
    ]);
    expect(listArchives(options.dir, { group: "main" })).toHaveLength(1);
    expect(listArchives(options.dir, { group: "other" })).toEqual([]);
  });

  it("has only the turns as JSON, too", async () => {
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(said).rows), fresh({ format: "json" }));
    const { parts } = JSON.parse(readFileSync(file, "utf8")) as { parts: { text: string }[] };
    expect(parts.map(({ text }) => text)).toEqual(said.map(([, text]) => text));
  });
});

describe("a search in archives", () => {
  it("finds all words in any form of archive, those first that stand together", async () => {
    const dir = path.join(folder.path, `search-${++count}`);
    const add = (
      session: string,
      messages: typeof said | readonly (readonly ["user" | "assistant", string])[],
      more: object,
    ) => archiveTranscript(folder.write(rowsOf(messages, session).rows), fresh({ dir, session, ...more }));
    await add(
      "apart",
      [
        ["user", "the Retry flag"],
        ["assistant", "in another queue"],
      ],
      { content: "full" },
    );
    await add("together", [["user", `${"long ".repeat(100)}why a RETRY queue? ${"words ".repeat(100)}`]], {});
    await add("chinese", [["user", "请问数据库连接怎么配置"]], { format: "json" });
    await add("none", said, {});
    const archives = listArchives(dir);
    const { hits, unreadable } = searchArchives(archives, "retry  QUEUE");
    expect(hits.map(({ session }) => session)).toEqual(["together", "apart"]);
    expect(hits[0]?.snippets).toEqual([
      { label: "User", text: expect.stringMatching(/^….*long why a RETRY queue\? words.*…$/) },
    ]);
    expect(hits[1]).toMatchObject({ matches: 2 });
    expect(unreadable).toEqual([]);
    expect(searchArchives(archives, "数据库 连接").hits.map(({ session }) => session)).toEqual(["chinese"]);
    expect(searchArchives(archives, "retry nowhere").hits).toEqual([]);
    expect(searchArchives(archives, " ").hits).toEqual([]);
  });

  it("names archives that cannot be read, and goes on", async () => {
    const options = fresh();
    await archiveTranscript(folder.write(rowsOf(said).rows), options);
    const { file = "" } = await archiveTranscript(folder.write(rowsOf(said).rows), {
      ...options,
      session: "broken",
      format: "json",
    });
    writeFileSync(file, "{ half");
    const { hits, unreadable } = searchArchives(listArchives(options.dir), "weekly");
    expect([hits.length, unreadable]).toEqual([1, [file]]);
  });

  it("still lists and finds archives whose record is of before there was a choice", async () => {
    const options = fresh({ content: "full" });
    await archiveTranscript(folder.write(smallSession().rows), options);
    const place = recordsFolder(conversationsFolder(options.dir, options.group));
    for (const name of readdirSync(place).filter((one) => one.endsWith(".json"))) {
      const { content: _, ...old } = JSON.parse(readFileSync(path.join(place, name), "utf8")) as Row;
      rmSync(path.join(place, name));
      writeFileSync(path.join(place, name), JSON.stringify(old));
    }
    const [archive] = listArchives(options.dir);
    expect(archive && existsSync(archive.file) && readArchive(archive)).toContain("**Tool call**");
    expect(searchArchives(listArchives(options.dir), "logout").hits).toHaveLength(1);
  });
});
