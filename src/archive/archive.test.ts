// One session, one file: whole, once, growing with its transcript, and without what must not be in it.
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  ClaudeRows,
  type Row,
  smallSession,
  temporaryFolder,
} from "../../test/fixtures/transcript/session.ts";
import { memoryVault, recall } from "../vault/index.ts";
import {
  type ArchiveOptions,
  type ArchiveReport,
  archiveTranscript,
  conversationsFolder,
} from "./archive.ts";
import { readMarkdown } from "./formats.ts";
import { recordFiles } from "./record.ts";

const folder = temporaryFolder();
let count = 0;

function fresh(more: Partial<ArchiveOptions> = {}): ArchiveOptions {
  const clock = { now: () => Date.parse("2026-03-02T09:05:00Z") };
  return {
    dir: path.join(folder.path, `archives-${++count}`),
    group: "work",
    clock,
    timeZone: "UTC",
    ...more,
  };
}

const textOf = ({ file }: ArchiveReport): string => readFileSync(file ?? "", "utf8");
const partsOf = (report: ArchiveReport) => readMarkdown(textOf(report)).parts;
const lines = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const filesIn = ({ dir, group }: ArchiveOptions): string[] =>
  readdirSync(conversationsFolder(dir, group)).filter((name) => !name.startsWith("."));

/** Names and contents of all files, also of those that are kept out of sight. */
const everythingIn = ({ dir }: ArchiveOptions): string =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .flatMap((name) => [
      name,
      statSync(path.join(dir, name)).isFile() ? readFileSync(path.join(dir, name), "utf8") : "",
    ])
    .join("\n");

async function archived(rows: ClaudeRows, more: Partial<ArchiveOptions> = {}) {
  const options = fresh(more);
  const report = await archiveTranscript(folder.write(rows.rows), options);
  return { options, report, parts: report.file?.endsWith(".md") ? partsOf(report) : [] };
}

/** A session with everything in it that an archive has a form for. */
function richSession(): ClaudeRows {
  const rows = smallSession();
  rows.user("text with **bold** and\n\n**User**: a forged turn\n\n---\n");
  rows.assistant("m4", {
    type: "tool_use",
    id: "toolu_long",
    name: "Write",
    input: { file_path: "/a", content: "x\n".repeat(2_000) },
  });
  rows.user([
    { type: "tool_result", tool_use_id: "toolu_long", content: "line\n".repeat(1_000), is_error: true },
  ]);
  rows.say("m5", "```js\nlet a = 1; // unclosed");
  rows.user([
    { type: "text", text: "a picture" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } },
  ]);
  rows.note("ai-title", { aiTitle: "Login and logout" });
  rows.say("m6", "I see it.");
  return rows;
}

describe("an archive", () => {
  it("has a header with year, zone and ids, then the turns", async () => {
    const { report } = await archived(smallSession());
    expect(textOf(report)).toBe(
      [
        "# make the login work",
        "",
        "Archived: Mar 2, 2026 at 9:05 AM UTC  ",
        "Session: session-1  ",
        "Group: work  ",
        "Project: /home/dev/app  ",
        "Models: claude-opus-4-5",
        "",
        "---",
        "",
        "**User**: make the login work",
        "",
        "**Thinking**: two files",
        "",
        "**Tool call**: Bash [t1] t1",
        "",
        "**Tool call**: Bash [t2] t2",
        "",
        "**Tool result**: [t1] output of t1",
        "",
        "**Tool result**: [t2] output of t2",
        "",
        "**Assistant**: Done.",
        "",
        "**Compaction**: auto, 150,000 tokens before",
        "",
        "**User**: now the logout",
        "",
        "**Assistant**: Done too.",
        "",
        "",
      ].join("\n"),
    );
    expect(path.basename(report.file ?? "")).toBe("2026-03-01-make-the-login-work-session.md");
  });

  it("is private, and so are its folders", async () => {
    const { options, report } = await archived(smallSession());
    const modes = [report.file ?? "", path.dirname(report.file ?? ""), path.join(options.dir, "groups")];
    expect(modes.map((place) => (statSync(place).mode & 0o777).toString(8))).toEqual(["600", "700", "700"]);
    const { record, seen } = recordFiles(path.dirname(report.file ?? ""), "session-1");
    expect([record, seen].map((place) => (statSync(place).mode & 0o777).toString(8))).toEqual(["600", "600"]);
  });

  it("changes nothing when there is nothing new", async () => {
    const { options, report } = await archived(richSession());
    const before = { text: textOf(report), at: statSync(report.file ?? "").mtimeMs, files: filesIn(options) };
    const again = await archiveTranscript(folder.write(richSession().rows), options);
    expect(again).toEqual({ ...report, outcome: "unchanged", added: 0 });
    expect({
      text: textOf(report),
      at: statSync(report.file ?? "").mtimeMs,
      files: filesIn(options),
    }).toEqual(before);
  });

  it.each(["md", "json"] as const)(
    "grown in five steps is the one that is written at once (%s)",
    async (format) => {
      const bytes = lines(richSession().rows);
      const once = await archiveTranscript(folder.writeBytes(bytes), fresh({ format, vault: memoryVault() }));
      const options = fresh({ format, vault: memoryVault() });
      const file = folder.writeBytes("");
      let last: ArchiveReport | undefined;
      for (let step = 1; step <= 5; step++) {
        // Cut anywhere, in the middle of rows too.
        writeFileSync(file, bytes.slice(0, Math.ceil((bytes.length * step) / 5)));
        last = await archiveTranscript(file, options);
        if (format === "json") JSON.parse(textOf(last));
      }
      expect(filesIn(options)).toHaveLength(1);
      expect(textOf(last as ArchiveReport)).toBe(textOf(once));
    },
  );

  it("stays one file without duplicates over many compactions", async () => {
    const rows = new ClaudeRows();
    const options = fresh();
    const file = folder.writeBytes("");
    for (let round = 0; round < 6; round++) {
      rows.user(`prompt ${round}`);
      rows.say(`m${round}`, `answer ${round}`);
      writeFileSync(file, lines(rows.rows));
      await archiveTranscript(file, options);
      rows.compact();
    }
    expect(filesIn(options)).toHaveLength(1);
    const report = await archiveTranscript(file, options);
    const said = partsOf(report).filter(({ label }) => label !== "Compaction");
    expect(said.map(({ text }) => text)).toEqual(
      [0, 1, 2, 3, 4, 5].flatMap((n) => [`prompt ${n}`, `answer ${n}`]),
    );
  });

  it("keeps its name when the title changes, and changes its header alone", async () => {
    const rows = smallSession();
    const { options, report } = await archived(rows);
    const before = readMarkdown(textOf(report));
    rows.note("custom-title", { customTitle: "修复登录" });
    const again = await archiveTranscript(folder.write(rows.rows), options);
    expect(again.file).toBe(report.file);
    expect(readMarkdown(textOf(again))).toEqual({
      header: before.header.replace("# make the login work", "# 修复登录"),
      parts: before.parts,
    });
  });

  it("is named after the best title there is, without any list beside the transcript", async () => {
    const { report } = await archived(richSession());
    expect(path.basename(report.file ?? "")).toMatch(/^2026-03-01-login-and-logout-/);
  });

  it("is not made of an empty transcript", async () => {
    const options = fresh();
    expect(await archiveTranscript(folder.writeBytes(""), options)).toMatchObject({
      outcome: "empty",
      added: 0,
    });
    expect(filesIn(options)).toEqual([]);
  });

  it("has an error for a transcript that does not exist", async () => {
    await expect(archiveTranscript(path.join(folder.path, "none.jsonl"), fresh())).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it("of an equal title and day is a file of its own, whatever the template", async () => {
    const options = fresh({ nameTemplate: "{date}-{summary}.md" });
    for (const session of ["one", "two", "ONE", "three"]) {
      const rows = new ClaudeRows();
      rows.user(session === "two" ? "Fix login bug!" : "Fix login bug", { sessionId: session });
      await archiveTranscript(folder.write(rows.rows), { ...options, session });
    }
    expect(filesIn(options)).toHaveLength(4);
  });

  it("knows nothing of other groups", async () => {
    const { options } = await archived(smallSession());
    const other = { ...options, group: "../../family" };
    const report = await archiveTranscript(folder.write(smallSession().rows), other);
    expect(report.outcome).toBe("created");
    expect(path.relative(path.join(options.dir, "groups"), report.file ?? "")).not.toMatch(/^\.\./);
    expect(path.dirname(report.file ?? "")).not.toBe(conversationsFolder(options.dir, options.group));
  });
});

describe("what an archive holds", () => {
  it("is every text, also of an assistant that answered with a plain string", async () => {
    const rows = new ClaudeRows();
    rows.user("hi");
    rows.add("assistant", { message: { role: "assistant", model: "m", content: "plain words" } });
    expect((await archived(rows)).parts).toEqual([
      { label: "User", text: "hi" },
      { label: "Assistant", text: "plain words" },
    ]);
  });

  it("has tool calls, results, thinking and pictures in short, with handles of their exact bytes", async () => {
    const vault = memoryVault();
    const { report } = await archived(richSession(), { vault });
    const [call, error, picture] = [
      /\*\*Tool call\*\*: Write \[u_long\] \/a \(6,\d+ characters, (tl:\w+)\)/,
      /\*\*Tool error\*\*: \[u_long\] line line .*\.\.\. \(5,000 characters, (tl:\w+)\)/,
      /\*\*Attachment\*\*: image image\/png \(5 bytes, (tl:\w+)\)/,
    ].map((pattern) => recall(vault, pattern.exec(textOf(report))?.[1] ?? "").bytes);
    expect(JSON.parse(Buffer.from(call ?? []).toString())).toEqual({
      file_path: "/a",
      content: "x\n".repeat(2_000),
    });
    expect(Buffer.from(error ?? []).toString()).toBe("line\n".repeat(1_000));
    expect(Buffer.from(picture ?? []).toString()).toBe("hello");
    expect(textOf(report)).toContain("**Thinking**: two files");
  });

  it("is not what clients put among the words, and says so of what they wrote themselves", async () => {
    const rows = new ClaudeRows();
    rows.user("Caveat: The messages below were generated by the user while running local commands.", {
      isMeta: true,
    });
    rows.user("<system-reminder>be good</system-reminder>");
    rows.user("<command-name>/review</command-name>\n<command-args>the diff</command-args>");
    rows.user("the body of that command", { isMeta: true });
    rows.user([{ type: "text", text: "really?<system-reminder>x</system-reminder>" }]);
    rows.compact();
    rows.say("m1", "API Error: overloaded", { isApiErrorMessage: true });
    rows.user("<local-command-stdout>Compacted. PreCompact: what our own hook said</local-command-stdout>");
    rows.user("[Request interrupted by user]");
    expect((await archived(rows)).parts).toEqual([
      { label: "User", text: "/review the diff" },
      { label: "User", text: "really?" },
      { label: "Compaction", text: "auto, 150,000 tokens before" },
      { label: "Client", text: "API Error: overloaded" },
      { label: "Client", text: "[Request interrupted by user]" },
    ]);
  });

  it("is cut only when asked to, and no character is halved then", async () => {
    const rows = new ClaudeRows();
    rows.user("😀".repeat(3_000));
    expect((await archived(rows)).parts[0]?.text).toBe("😀".repeat(3_000));
    const cut = await archived(rows, { maxTextCharacters: 2_000 });
    expect(cut.parts[0]?.text).toBe(`${"😀".repeat(2_000)}...`);
  });

  it("calls the assistant by a name that can be read back, whatever it was told", async () => {
    for (const assistantName of ["", " ", "**"]) {
      const { parts } = await archived(smallSession(), { assistantName });
      expect(parts).toEqual((await archived(smallSession())).parts);
    }
  });

  it("has no secret and nothing private in it", async () => {
    const key = `sk-ant-api03-${"Ab3".repeat(31)}-AAAAAA`;
    const rows = new ClaudeRows();
    rows.user(`use ${key} <private>my diary</private> now`);
    rows.user([
      { type: "tool_result", tool_use_id: "t", content: `${"x".repeat(290)} ${key} ${"y".repeat(2_000)}` },
    ]);
    rows.note("custom-title", { customTitle: `about ${key}` });
    const { options } = await archived(rows);
    expect(everythingIn(options)).not.toContain("sk-ant-api03-Ab3");
    expect(everythingIn(options)).not.toContain("diary");
  });

  it("has no part of a secret in its name either, where a title is cut inside one", async () => {
    const rows = new ClaudeRows();
    rows.user(`${"please deploy with this token ".repeat(2)}ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`);
    const { options } = await archived(rows);
    expect(everythingIn(options).toLowerCase()).not.toContain("ab3de5");
  });

  it("marks what subagents did, in the order of time", async () => {
    const rows = smallSession();
    const side = new ClaudeRows();
    side.user("count the files", { isSidechain: true, agentId: "a1", timestamp: "2026-03-01T10:00:04.500Z" });
    side.say("s1", "three", { isSidechain: true, agentId: "a1", timestamp: "2026-03-01T10:00:05.500Z" });
    const file = folder.write(rows.rows, "with-agents.jsonl");
    folder.write(
      side.rows.map((row) => ({ ...row, uuid: `side-${row.uuid}` })),
      "with-agents/subagents/agent-a1.jsonl",
    );
    const labels = partsOf(await archiveTranscript(file, fresh())).map(
      ({ label, text }) => `${label}: ${text}`,
    );
    expect(labels.slice(3, 8)).toEqual([
      "Tool call: Bash [t2] t2",
      "Prompt (agent a1): count the files",
      "Tool result: [t1] output of t1",
      "Assistant (agent a1): three",
      "Tool result: [t2] output of t2",
    ]);
  });

  it("leaves out rows that were not to be kept, also later", async () => {
    const isWanted = ({ at = 0 }: { at?: number }): boolean => at > Date.parse("2026-03-01T10:00:08Z");
    const { parts, options } = await archived(smallSession(), { isWanted });
    expect(parts.map(({ text }) => text)).toEqual(["now the logout", "Done too."]);
    const again = await archiveTranscript(folder.write(smallSession().rows), {
      ...options,
      isWanted: () => true,
    });
    expect(again.added).toBe(0);
  });

  it("as JSON is one document with a part for each", async () => {
    const { report } = await archived(richSession(), { format: "json", vault: memoryVault() });
    const document = JSON.parse(textOf(report));
    expect(document).toMatchObject({
      version: 1,
      title: "Login and logout",
      session: "session-1",
      group: "work",
    });
    expect(document.parts[0]).toEqual({
      kind: "text",
      role: "user",
      id: "uuid-1",
      text: "make the login work",
      at: "2026-03-01T10:00:01.000Z",
    });
    expect(document.parts.map(({ kind }: { kind: string }) => kind)).toContain("attachment");
  });
});

describe("a transcript that is not what it was", () => {
  it("adds nothing twice when rows come again", async () => {
    const rows = smallSession();
    const { options, parts } = await archived(rows);
    const first = rows.rows[0] as Row;
    const again = await archiveTranscript(
      folder.write([...rows.rows, first, { ...first, uuid: "new", parentUuid: "uuid-10" }]),
      options,
    );
    expect(again.added).toBe(1);
    expect(partsOf(again)).toEqual([...parts, { label: "User", text: "make the login work" }]);
  });

  it("loses nothing when it was cut or replaced, and goes on with what is new", async () => {
    const rows = smallSession();
    const { options, report } = await archived(rows);
    const before = partsOf(report);
    rows.user("after the rotation");
    const again = await archiveTranscript(folder.write(rows.rows.slice(-2)), options);
    expect(partsOf(again)).toEqual([...before, { label: "User", text: "after the rotation" }]);
  });
});

describe("a transcript that became another, longer one", () => {
  it("is read from its start", async () => {
    const { options, parts } = await archived(smallSession());
    const other = new ClaudeRows();
    other.user(`something else ${"and more ".repeat(1_000)}`, { uuid: "other-1" });
    const again = await archiveTranscript(folder.write(other.rows), options);
    expect(partsOf(again).slice(0, -1)).toEqual(parts);
    expect(again.added).toBe(1);
  });
});

describe("an archive that was interrupted or changed by hand", () => {
  it("is written anew where its record says nothing that can be understood", async () => {
    const options = fresh();
    const transcript = folder.write(smallSession().rows);
    const report = await archiveTranscript(transcript, options);
    const { record } = recordFiles(path.dirname(report.file ?? ""), "session-1");
    for (const broken of [
      "",
      "[]",
      '{"v":1,"sources":{},"notes":{}}',
      '{"v":1,"sources":{},"notes":{"models":[]}}',
    ]) {
      writeFileSync(record, broken);
      const again = await archiveTranscript(transcript, options);
      expect(partsOf(again)).toEqual(partsOf(report));
    }
  });

  it("is repaired when half of a write is behind it", async () => {
    const rows = smallSession();
    const { options, report } = await archived(rows);
    const whole = textOf(report);
    const { record } = recordFiles(path.dirname(report.file ?? ""), "session-1");
    writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, "utf8")), growing: true }));
    appendFileSync(report.file ?? "", "**User**: half of a turn th");
    await archiveTranscript(folder.write(rows.rows), options);
    expect(textOf(report)).toBe(whole);
  });

  it("keeps what a person wrote into it", async () => {
    const rows = smallSession();
    const { options, report } = await archived(rows);
    appendFileSync(report.file ?? "", "**User**: a remark of mine\n\n");
    rows.say("m9", "More.");
    const again = await archiveTranscript(folder.write(rows.rows), options);
    expect(partsOf(again).slice(-2)).toEqual([
      { label: "User", text: "a remark of mine" },
      { label: "Assistant", text: "More." },
    ]);
  });

  it.each(["md", "json"] as const)(
    "is written anew when it is gone or cannot be read (%s)",
    async (format) => {
      const rows = smallSession();
      const { options, report } = await archived(rows, { format });
      const whole = textOf(report);
      truncateSync(report.file ?? "", 20);
      rows.note("mode", {});
      const again = await archiveTranscript(folder.write(rows.rows), options);
      expect(textOf(again)).toBe(whole);
    },
  );

  it("is left to another process that is at it", async () => {
    const { options, report } = await archived(smallSession());
    const { lock } = recordFiles(path.dirname(report.file ?? ""), "session-1");
    writeFileSync(lock, String(process.ppid));
    const rows = smallSession();
    rows.user("more");
    expect(await archiveTranscript(folder.write(rows.rows), options)).toMatchObject({ outcome: "busy" });
    // No process has this id: the lock of a dead process does not count.
    writeFileSync(lock, String(2 ** 22 + 1));
    expect(await archiveTranscript(folder.write(rows.rows), options)).toMatchObject({
      outcome: "grown",
      added: 1,
    });
  });

  it("goes on where a run was stopped", async () => {
    const rows = richSession();
    const stop = new AbortController();
    let seen = 0;
    const isWanted = (): boolean => {
      if (++seen === 5) stop.abort();
      return true;
    };
    const file = folder.write(rows.rows);
    const options = fresh();
    const first = await archiveTranscript(file, { ...options, isWanted, signal: stop.signal });
    expect(first.added).toBe(5);
    const once = await archiveTranscript(file, fresh());
    expect(textOf(await archiveTranscript(file, options))).toBe(textOf(once));
  });
});
