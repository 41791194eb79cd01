// What the hook at a session's start does with a snapshot when there is no worker, as the agent runs it.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookHouse, payloads } from "../../test/hookProcess.ts";
import { leftSnapshots } from "../home/index.ts";
import { HOUR } from "../lib/index.ts";
import { snapshotName } from "../snapshot/folder.ts";
import { addReference } from "../snapshot/page.ts";
import { renderSnapshot } from "../snapshot/render.ts";
import { sealed, snapshotKey } from "../snapshot/seal.ts";

const house = hookHouse();
const rules = "# Rules\r\n";

/** A project whose session was compacted so long ago. */
function compacted(ms: number): { readonly project: string; readonly file: string } {
  const project = path.join(house.folder, "项目");
  const at = Date.now() - ms;
  const name = snapshotName(at);
  mkdirSync(path.join(project, ".claude"), { recursive: true });
  const state = {
    files: [],
    moreFiles: 0,
    next: [],
    decisions: [],
    failures: [],
    notes: [],
    evidence: [],
    conversation: "user: build the parser",
  };
  const said = [{ by: "User", text: "build the parser" }] as const;
  const content = {
    session: "old",
    at,
    hours: 2,
    language: "en",
    state,
    said,
    handles: ["tl:0123456789ab"],
  } as const;
  const text = renderSnapshot({ ...content, redact: (one) => one });
  const key = snapshotKey(house.home);
  writeFileSync(path.join(project, ".claude", name), sealed(text, { key, project, name }));
  writeFileSync(path.join(project, "CLAUDE.md"), rules);
  addReference(project, "CLAUDE.md", { name, at, hours: 2, language: "en" });
  return { project, file: path.join(project, ".claude", name) };
}

const begin = (project: string, more: object = {}) =>
  house.run("answer", payloads.start({ cwd: project, ...more }), { CLAUDE_PROJECT_DIR: project });

describe("a session that starts without a worker", () => {
  it("loads a young snapshot", () => {
    const { project, file } = compacted(HOUR);
    const { code, out, err } = begin(project);
    expect([code, err]).toEqual([0, ""]);
    const said = JSON.parse(out);
    expect(said.systemMessage).toContain("loaded the snapshot");
    expect(said.hookSpecificOutput.hookEventName).toBe("SessionStart");
    for (const part of [file, "build the parser", "tl:0123456789ab"])
      expect(said.hookSpecificOutput.additionalContext).toContain(part);
    expect(house.log().join("\n")).toMatch(/INFO: Time difference: 1 hours[\s\S]*SNAPSHOT_ACTION=LOAD/);
  });

  it("cleans an old one up, and leaves its bytes to the worker", () => {
    const { project, file } = compacted(3 * HOUR);
    const bytes = readFileSync(file, "utf8");
    const said = JSON.parse(begin(project).out);
    expect(said.systemMessage).toBe("Throughline: cleaned up an outdated snapshot");
    // The agent has read the page by now.
    expect(said.hookSpecificOutput.additionalContext).toContain("is void: it is outdated");
    expect([existsSync(file), readFileSync(path.join(project, "CLAUDE.md"), "utf8")]).toEqual([false, rules]);
    const left = leftSnapshots(house.home);
    const [name = ""] = readdirSync(left);
    expect(readFileSync(path.join(left, name), "utf8")).toBe(bytes);
    expect(begin(project).out).toBe("");
  });

  it("follows the rules that the worker has left", () => {
    const worker = { node: process.execPath, script: path.join(house.folder, "none.js") };
    const { project } = compacted(3 * HOUR);
    house.writeRuntime({ worker, snapshot: { enabled: true, hours: 4, language: "zh" } });
    expect(JSON.parse(begin(project).out).systemMessage).toContain("已加载");
    house.writeRuntime({ worker, snapshot: { enabled: false, hours: 4, language: "zh" } });
    expect(begin(project).out).toBe("");
  });

  it("says nothing where there is none, and has still spooled the event", () => {
    expect(begin(house.folder)).toEqual({ code: 0, out: "", err: "" });
    expect(house.events()).toHaveLength(1);
  });
});
