// A command beside a mod: no Node starts for an event that was taken, and one starts for every other. A command that the agent
// need not wait for: the shell ends at once, and Node gets the whole payload behind it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/until.ts";
import { type HookProgram, hookGroups, ownProgram } from "./hookTable.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-guard-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (event = "SessionStart", more: Partial<HookProgram> = { isBesideMod: true }) => {
  const bundleFile = (): string => path.join(folder, "dist", "hooks", "capture.cjs");
  const groups = hookGroups({ node: path.join(folder, "my node"), bundleFile, shell: "/bin/sh", ...more });
  const [first] = groups.get(event)?.hooks ?? [];
  if (first === undefined) throw new Error("there is no such hook");
  return first;
};

/** More than a pipe holds. */
const payload = "x".repeat(1_000_000);

describe("a command beside a mod", () => {
  it.each([
    ["was taken", { THROUGHLINE_TAKEN: "s1", CLAUDE_CODE_SESSION_ID: "s1" }, false],
    ["is another session's", { THROUGHLINE_TAKEN: "s1", CLAUDE_CODE_SESSION_ID: "s2" }, true],
    ["comes without either name", {}, true],
    ["comes with empty names", { THROUGHLINE_TAKEN: "", CLAUDE_CODE_SESSION_ID: "" }, true],
  ])("where the event %s", (_, names, isRun) => {
    const ran = path.join(folder, "ran");
    writeFileSync(path.join(folder, "my node"), `#!/bin/sh\necho "$1" > "${ran}"; exec cat > /dev/null\n`, {
      mode: 0o700,
    });
    writeFileSync(ran, "");
    const { command: program, args } = command();
    const { status, error, stdout } = spawnSync(program, args, {
      env: { PATH: process.env.PATH, ...names },
      input: payload,
    });
    expect([status, error, String(stdout)]).toEqual([0, undefined, ""]);
    expect(readFileSync(ran, "utf8").trim()).toBe(isRun ? args[3] : "");
  });

  it("is known as ours, with its Node and its bundle", () => {
    expect(ownProgram(command())).toEqual({
      node: path.join(folder, "my node"),
      bundle: path.join(folder, "dist", "hooks", "capture.cjs"),
    });
    expect(ownProgram({ type: "command", command: "/bin/sh", args: ["-c", "echo"] })).toBeUndefined();
  });
});

describe("the hook of a file that is opened", () => {
  it("is there where the settings ask for it, and is nothing that a mod takes", () => {
    expect(() => command("PreToolUse")).toThrow();
    const { command: program, args } = command("PreToolUse", { isBesideMod: true, answersReads: true });
    expect([program, args]).toEqual([path.join(folder, "my node"), [expect.stringContaining("capture.cjs")]]);
  });
});

describe("a command that the agent need not wait for", () => {
  it.each(["UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"])(
    "ends before Node does, which reads everything: %s",
    async (event) => {
      const [go, got] = [path.join(folder, "go"), path.join(folder, "got")];
      const program = `#!/bin/sh\nuntil [ -e "${go}" ]; do sleep 0.05; done; cat > "${got}.part"; mv "${got}.part" "${got}"\n`;
      writeFileSync(path.join(folder, "my node"), program, { mode: 0o700 });
      const { command: shell, args } = command(event, {});
      const { status, stdout } = spawnSync(shell, args, { env: { PATH: process.env.PATH }, input: payload });
      expect([status, String(stdout), existsSync(got)]).toEqual([0, "", false]);
      writeFileSync(go, "");
      await until(() => existsSync(got), "the program to have read its input");
      expect(readFileSync(got, "utf8")).toBe(payload);
    },
  );

  it("is none where prompts or tools are answered, and none without a shell", () => {
    const answering = { answersTools: true, answersPrompts: true };
    for (const event of ["SessionStart", "UserPromptSubmit", "PostToolUse"])
      expect(command(event, answering)).not.toHaveProperty("async");
    for (const one of [command("UserPromptSubmit", answering), command("Stop", { shell: undefined })])
      expect(one.args).toHaveLength(1);
  });
});
