// `throughline snapshot` as a user types it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { isObject } from "../../lib/index.ts";

const terminal = commandLine();

const row = (uuid: string, parentUuid: string | null, role: string, text: string): string =>
  JSON.stringify({
    type: role,
    uuid,
    parentUuid,
    sessionId: "5f1c",
    cwd: terminal.folder,
    timestamp: "2026-11-15T08:00:00.000Z",
    isSidechain: false,
    message:
      role === "user" ? { role, content: text } : { role, id: uuid, content: [{ type: "text", text }] },
  });

const transcript = (): string =>
  terminal.write(
    "session.jsonl",
    `${row("a", null, "user", "build it")}\n${row("b", "a", "assistant", "built")}\n`,
  );

/** Saves one and gives its path. */
function saved(): string {
  writeFileSync(path.join(terminal.folder, "CLAUDE.md"), "# Rules\n");
  const { out } = terminal.run(["snapshot", "save", "--transcript", transcript()]);
  return /SNAPSHOT_FILE=(.+)/.exec(out)?.[1] ?? "";
}

describe("throughline snapshot", () => {
  it("saves, and says where, when, and that CLAUDE.md refers to it", () => {
    const { code, out } = terminal.run(["snapshot", "save", "--transcript", transcript()], {
      THROUGHLINE_LOCALE: "zh",
    });
    expect(code).toBe(0);
    const [file, time, done] = out.trimEnd().split("\n");
    expect(file).toMatch(/^SNAPSHOT_FILE=\/.*\/\.claude\/compact-snapshot-\d{14}\.md$/);
    expect(time).toMatch(/^SNAPSHOT_TIMESTAMP=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(done).toBe("✅ 临时快照引用已添加到CLAUDE.md顶部");
  });

  it("finds the latest session of the folder by itself", () => {
    const claude = path.join(terminal.folder, "claude");
    const folder = path.join(claude, "projects", terminal.folder.replace(/[^A-Za-z0-9]/g, "-"));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "5f1c.jsonl"), readFileSync(transcript()));
    expect(terminal.run(["snapshot", "save"], { CLAUDE_CONFIG_DIR: claude }).code).toBe(0);
    const elsewhere = terminal.run(["snapshot", "save"], { CLAUDE_CONFIG_DIR: terminal.folder });
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining("--transcript FILE")]);
  });

  it("shows what its statements rest on, unless the file was changed since", () => {
    const file = saved();
    const { statements } = terminal.json("snapshot", "show") as { statements: unknown[] };
    expect(statements[0]).toMatchObject({
      kind: "core",
      rows: [{ id: "a", excerpt: "build it" }],
    });
    expect(terminal.run(["snapshot", "show", "--explain"]).out).toMatch(
      /^Core content: build it.*\n {2}a: build it\n/,
    );
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("build it", "break it"));
    expect(terminal.json("snapshot", "show")).toMatchObject({ statements: [] });
  });

  it("decides to load, with the lines that others read", () => {
    const file = saved();
    const { out } = terminal.run(["snapshot", "decide"]);
    expect(out).toMatch(
      /^INFO: Snapshot timestamp: .+\nINFO: Current time: .+\nINFO: Time difference: [\d.]+ hours\nSNAPSHOT_ACTION=LOAD\nSNAPSHOT_FILE=.+\n✅ .+\n$/,
    );
    expect(out).toContain(`SNAPSHOT_FILE=${file}\n`);
  });

  it("decides to clean up what is too old, and the bytes are recallable", () => {
    const file = saved();
    const text = readFileSync(file, "utf8");
    const env = { THROUGHLINE_SNAPSHOT_HOURS: "0.01" };
    const page = path.join(terminal.folder, "CLAUDE.md");
    const old = readFileSync(page, "utf8").replace(/UTC \S+/, "UTC 2020-01-01T00:00:00.000Z");
    writeFileSync(page, old);
    expect(terminal.run(["snapshot", "decide", "--dry-run"], env).out).toContain("SNAPSHOT_ACTION=CLEANUP");
    expect(existsSync(file)).toBe(true);
    const { out } = terminal.run(["snapshot", "decide"], env);
    expect(out).toContain(`SNAPSHOT_ACTION=CLEANUP\n⚠️ `);
    expect(out).toContain(`✅ Removed the snapshot file: ${file}\n✅ Removed the reference from CLAUDE.md\n`);
    expect([existsSync(file), readFileSync(page, "utf8")]).toEqual([false, "# Rules\n"]);
    const blobs = terminal.json("recall", "--session", "5f1c");
    const handles =
      isObject(blobs) && Array.isArray(blobs.blobs) ? blobs.blobs.map(({ handle }) => String(handle)) : [];
    expect(handles.map((handle) => terminal.run(["recall", handle]).out)).toContain(text);
  });

  it("lists, shows and cleans", () => {
    expect(terminal.run(["snapshot", "list"]).out).toContain("no snapshot in");
    const file = saved();
    expect(terminal.json("snapshot", "list")).toMatchObject([
      { file, session: "5f1c", valid: true, whole: true, page: "CLAUDE.md" },
    ]);
    expect(terminal.run(["snapshot", "list"]).out).toMatch(/\.md {2}(just now|1 min ago) {2}valid {2}5f1c/);
    // What the next session would not load is not valid: this one comes from a clock that cannot be trusted.
    terminal.write(".claude/compact-snapshot-29990101000000.md", "# From the future\n");
    expect(terminal.json("snapshot", "list")).toMatchObject([{ valid: false }, { file, valid: true }]);
    expect(terminal.run(["snapshot", "clean", "--expired"]).out).toContain("29990101000000");
    expect(terminal.run(["snapshot", "show"]).out).toBe(readFileSync(file, "utf8"));
    expect(terminal.run(["snapshot", "show", "--digest"]).out).toMatch(
      /^<throughline-context kind="snapshot" nonce="[0-9a-f]{8}">/,
    );
    expect(terminal.run(["snapshot", "clean", "--expired"]).out).toBe("nothing to clean up\n");
    expect(terminal.run(["snapshot", "clean"]).out).toContain(`Removed the snapshot file: ${file}`);
    expect(readFileSync(path.join(terminal.folder, "CLAUDE.md"), "utf8")).toBe("# Rules\n");
    expect(terminal.run(["snapshot", "show"])).toMatchObject({ code: 1 });
  });
});
