// The callback for the Agent SDK: a file where there can be one, and `{}` whatever happens.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { archiveOnCompact } from "./index.ts";

const folder = temporaryFolder();
let home = "";
let count = 0;

beforeEach(() => {
  home = path.join(folder.path, `home-${++count}`);
  vi.stubEnv("THROUGHLINE_HOME", home);
});
afterEach(() => vi.unstubAllEnvs());

const input = (transcript: string): object => ({
  hook_event_name: "PreCompact",
  session_id: "5f1c2d3e-aaaa",
  transcript_path: transcript,
  cwd: folder.path,
  trigger: "auto",
  custom_instructions: null,
});

const archivesIn = (dir: string, group: string): string[] => {
  const place = path.join(dir, "groups", group, "conversations");
  return existsSync(place) ? readdirSync(place).filter((name) => !name.startsWith(".")) : [];
};

describe("archiveOnCompact", () => {
  it("archives and says nothing", async () => {
    const dir = path.join(folder.path, "mine");
    const callback = archiveOnCompact({ dir, group: "main", assistantName: "Andy" });
    expect(await callback(input(folder.write(smallSession().rows)), undefined, {})).toEqual({});
    const [name = ""] = archivesIn(dir, "main");
    expect(name).toMatch(/-5f1c2d3e\.md$/);
    expect(readFileSync(path.join(dir, "groups", "main", "conversations", name), "utf8")).toContain(
      "**Andy**: Done.",
    );
  });

  it("writes the conversation alone into any folder", async () => {
    const dir = path.join(folder.path, "workspace", "conversations");
    const callback = archiveOnCompact({ dir, groups: false, content: "conversation", assistantName: "Andy" });
    expect(await callback(input(folder.write(smallSession().rows)), undefined, {})).toEqual({});
    const names = readdirSync(dir).filter((name) => !name.startsWith("."));
    expect(names).toEqual(["2026-03-01-make-the-login-work.md"]);
    expect(readFileSync(path.join(dir, names[0] ?? ""), "utf8")).toMatch(
      /^# make the login work\n\nArchived: \w{3} \d+, \d{4} at \d+:\d\d [AP]M\n\n---\n\n\*\*User\*\*: make the login work\n\n\*\*Andy\*\*: Done\.\n\n\*\*User\*\*: now the logout\n\n\*\*Andy\*\*: Done too\.\n$/,
    );
  });

  it("uses the data folder and the project when it is told nothing", async () => {
    await archiveOnCompact()(input(folder.write(smallSession().rows)));
    const groups = readdirSync(path.join(home, "data", "groups"));
    expect(groups).toEqual([expect.stringMatching(/^throughline-transcript-\w+-[0-9a-f]{8}$/)]);
  });

  it.each([
    ["nothing", undefined],
    ["no transcript", {}],
    ["an empty path", { transcript_path: "" }],
    ["a number", { transcript_path: 7 }],
  ])("takes %s for what it is", async (_, given) => {
    const onError = vi.fn();
    expect(await archiveOnCompact({ onError })(given)).toEqual({});
    expect(onError).not.toHaveBeenCalled();
  });

  it("reports to the error callback alone when nothing can be written", async () => {
    const dir = path.join(folder.path, "a-file");
    writeFileSync(dir, "");
    const onError = vi.fn(() => {
      throw new Error("and the listener fails too");
    });
    const transcript = folder.write(smallSession().rows);
    expect(await archiveOnCompact({ dir, onError })(input(transcript))).toEqual({});
    expect(onError).toHaveBeenCalledOnce();
    expect(await archiveOnCompact({ dir })(input(path.join(folder.path, "gone.jsonl")))).toEqual({});
  });

  it("writes an archive without handles where only the vault refuses", async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "data"), "no folder");
    chmodSync(home, 0o700);
    const dir = path.join(folder.path, "readable");
    const rows = smallSession();
    rows.user([{ type: "tool_result", tool_use_id: "t9", content: "long ".repeat(1_000) }]);
    expect(await archiveOnCompact({ dir, group: "g" })(input(folder.write(rows.rows)))).toEqual({});
    const [name = ""] = archivesIn(dir, "g");
    const text = readFileSync(path.join(dir, "groups", "g", "conversations", name), "utf8");
    expect(text).toContain("(5,000 characters)");
  });
});

describe("archiveOnCompact in a form of its own", () => {
  it("writes what the program renders, where and under the name that it wants", async () => {
    const place = path.join(folder.path, "workspace", "archive");
    const callback = archiveOnCompact({
      path: place,
      assistantName: "Andy",
      maxTextCharacters: 4,
      name: ({ session, archivedAt }) => `${session}-${archivedAt.getFullYear()}/x.json`,
      render: ({ title, messages }) =>
        JSON.stringify({ title, messages: messages.map(({ role, text }) => [role, text]) }),
    });
    expect(await callback(input(folder.write(smallSession().rows)))).toEqual({});
    const [name = ""] = readdirSync(place);
    expect(name).toBe(`5f1c2d3e-aaaa-${new Date().getFullYear()}-x.json`);
    expect(JSON.parse(readFileSync(path.join(place, name), "utf8"))).toEqual({
      title: "make the login work",
      messages: [
        ["user", "make..."],
        ["assistant", "Done..."],
        ["user", "now ..."],
        ["assistant", "Done..."],
      ],
    });
  });

  it("takes the name from a template, and Markdown where nothing is rendered", async () => {
    const place = path.join(folder.path, "rendered");
    const transcript = folder.write(smallSession().rows);
    await archiveOnCompact({ path: place, name: "{date}-{summary}.txt", render: ({ title }) => title })(
      input(transcript),
    );
    await archiveOnCompact({ path: place, name: () => "plain.md", assistantName: "Andy" })(input(transcript));
    expect(readdirSync(place).sort()).toEqual(["2026-03-01-make-the-login-work.txt", "plain.md"]);
    expect(readFileSync(path.join(place, "plain.md"), "utf8")).toContain("**Andy**: Done.");
  });

  it("hides secrets from what renders", async () => {
    const rows = smallSession();
    rows.user(
      "the key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmno-AA",
    );
    const render = vi.fn(() => "");
    await archiveOnCompact({ path: path.join(folder.path, "hidden"), name: () => "a.txt", render })(
      input(folder.write(rows.rows)),
    );
    expect(JSON.stringify(render.mock.calls)).not.toContain("sk-ant-api03");
    expect(JSON.stringify(render.mock.calls)).toContain("the key is");
  });
});
