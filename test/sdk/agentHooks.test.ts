// The hooks for the Agent SDK run the built programs: what happens is in the spool, and nothing rejects.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { resolveHome, spoolFolder } from "../../src/home/index.ts";
import { agentHooks } from "../../src/sdk/index.ts";
import { smallSession, temporaryFolder } from "../fixtures/transcript/session.ts";
import { until } from "../until.ts";

const folder = temporaryFolder();
const home = path.join(folder.path, "home");
const places = resolveHome({ env: { THROUGHLINE_HOME: home }, platform: process.platform, homeFolder: home });
const env = { THROUGHLINE_HOME: home };

function eventsIn(): { kind: string; session: string }[] {
  const files = readdirSync(spoolFolder(places), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(path.join(spoolFolder(places), file), "utf8")));
}

const base = { session_id: "5f1c2d3e-bbbb", cwd: folder.path };

describe("agentHooks", () => {
  it("has a group for every event that is captured", () => {
    expect(Object.keys(agentHooks())).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PostToolUse",
      "PostToolUseFailure",
      "Stop",
      "SubagentStop",
      "PreCompact",
      "PostCompact",
      "SessionEnd",
    ]);
  });

  it("captures tool calls without waiting, and the end of a turn", async () => {
    mkdirSync(places.state, { recursive: true });
    const transcript_path = folder.write(smallSession().rows);
    const { PostToolUse, Stop } = agentHooks({ env, archive: false });
    const call = {
      ...base,
      transcript_path,
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: { file_path: "a.ts" },
      tool_use_id: "t1",
      tool_response: "text",
    };
    expect(await PostToolUse[0]?.hooks[0]?.(call)).toEqual({});
    const stop = { ...base, transcript_path, hook_event_name: "Stop", last_assistant_message: "Done." };
    expect(await Stop[0]?.hooks[0]?.(stop)).toEqual({});
    await until(() => eventsIn().length === 2, "two events");
    expect(eventsIn().map(({ kind, session }) => [kind, session])).toEqual(
      expect.arrayContaining([
        ["tool", base.session_id],
        ["stop", base.session_id],
      ]),
    );
  });

  it("archives before a compaction", async () => {
    const place = path.join(folder.path, "conversations");
    const { PreCompact } = agentHooks({ env, archive: { path: place, content: "conversation" } });
    const transcript_path = folder.write(smallSession().rows);
    vi.stubEnv("THROUGHLINE_HOME", home);
    const [archive] = PreCompact[0]?.hooks ?? [];
    expect(
      await archive?.({ ...base, transcript_path, hook_event_name: "PreCompact", trigger: "auto" }),
    ).toEqual({});
    vi.unstubAllEnvs();
    expect(readdirSync(place).filter((name) => name.endsWith(".md"))).toEqual([
      "2026-03-01-make-the-login-work.md",
    ]);
  });

  it("gives nothing back for what is no payload", async () => {
    const onError = vi.fn();
    const { Stop } = agentHooks({ env, onError });
    expect(await Stop[0]?.hooks[0]?.("nonsense")).toEqual({});
  });
});
