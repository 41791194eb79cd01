// Codex CLI's adapter: the contract of all adapters, and what is its own: trust, tables of config.toml, prompts within a turn.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codexPayload } from "../../src/agents/codex/events.ts";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { commandLine } from "../commandLine.ts";
import { codexTurn, writeCodexSession } from "./codexSession.ts";
import { agentContract, type ContractEvent, type ContractSession } from "./contract.ts";

const hookNames: Readonly<Record<ContractEvent, string>> = {
  start: "SessionStart",
  prompt: "UserPromptSubmit",
  tool: "PostToolUse",
  stop: "Stop",
  end: "SessionEnd",
};

function commandFor(home: string, event: ContractEvent): string[] {
  const file = parseJson(readFileSync(path.join(home, ".codex", "hooks.json"), "utf8"));
  const hooks = isObject(file) && isObject(file.hooks) ? file.hooks[hookNames[event]] : undefined;
  const groups = (Array.isArray(hooks) ? hooks : []).filter(isObject);
  const commands = groups
    .flatMap((group) => (Array.isArray(group.hooks) ? group.hooks : []))
    .filter(isObject);
  const own = commands.find(({ command }) => String(command).includes("dist/hooks"));
  return ["/bin/sh", "-c", String(own?.command)];
}

function payloadOf(event: ContractEvent, about: ContractSession, transcript: string): object {
  const { session, cwd, prompt, command, output, said } = about;
  const base = { session_id: session, transcript_path: transcript, cwd, hook_event_name: hookNames[event] };
  const inTurn = { ...base, turn_id: codexTurn, model: "gpt-test", permission_mode: "default" };
  const call = { tool_name: "Bash", tool_input: { command }, tool_response: output, tool_use_id: "call_1" };
  const payloads: Readonly<Record<ContractEvent, object>> = {
    start: { ...base, model: "gpt-test", source: "startup" },
    prompt: { ...inTurn, prompt },
    tool: { ...inTurn, ...call },
    stop: { ...inTurn, stop_hook_active: false, last_assistant_message: said },
    end: { ...base, reason: "other" },
  };
  return payloads[event];
}

const config = '# mine\r\nmodel = "o9"  # the best\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n';
const hooks = '{\n    "hooks": {"Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ]}\n}';

agentContract({
  name: "codex",
  files: { ".codex/config.toml": config, ".codex/hooks.json": hooks },
  edited: {
    file: ".codex/config.toml",
    edit: (text) => `${text}\r\n[projects."/home/dev/app"]\r\ntrust_level = "trusted"\r\n`,
  },
  commandFor,
  payloadOf,
  writeSession: (home, about) => writeCodexSession(path.join(home, ".codex"), about),
});

describe("Codex's own", () => {
  const terminal = commandLine();
  const env = () => ({ HOME: terminal.folder });
  const install = (...more: string[]) =>
    terminal.run(["install", "--agent", "codex", "--yes", ...more], env());
  const config = () => readFileSync(path.join(terminal.folder, ".codex", "config.toml"), "utf8");
  const state = () => JSON.parse(terminal.run(["status", "--json"], env()).out).agents;

  it("hooks are trusted only where --trust says so, and it says how to do it by hand", () => {
    const plain = install();
    expect(plain.out).toContain("/hooks in Codex");
    expect(config()).not.toContain("trusted_hash");
    expect(state()).toMatchObject([{ name: "codex", hooks: 7, trusted: 0, server: true }]);
    expect(install("--trust").out).not.toContain("/hooks in Codex");
    expect(state()).toMatchObject([{ hooks: 7, trusted: 7 }]);
  });

  it("server keeps its place when another of that name is there", () => {
    const other = '[mcp_servers.throughline]\ncommand = "mine"\n';
    terminal.write(".codex/config.toml", other);
    expect(install().out).toContain("another server named throughline");
    expect(config()).toBe(other);
  });

  it("tables are not added to a file that has them as one value", () => {
    terminal.write(".codex/config.toml", "mcp_servers = { other = { command = 'x' } }\n");
    const { code, err } = install();
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("[mcp_servers.name]") });
    expect(existsSync(path.join(terminal.folder, ".codex", "hooks.json"))).toBe(false);
  });

  it("prompts of one turn are told apart", () => {
    const payload = (prompt: string) =>
      codexPayload({ hook_event_name: "UserPromptSubmit", turn_id: "t1", prompt });
    expect(payload("first").prompt_id).not.toBe(payload("second").prompt_id);
    expect(payload(" first ").prompt_id).toBe(payload("first").prompt_id);
  });
});
