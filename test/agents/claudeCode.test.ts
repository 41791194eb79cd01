// Claude Code under the contract of all adapters: what holds for every other agent holds for it first.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson } from "../../src/lib/index.ts";
import { agentContract, type ContractEvent, type ContractSession } from "./contract.ts";

const PROMPT = "df6c2084-0000-4000-8000-000000000002";

const hookNames: Readonly<Record<ContractEvent, string>> = {
  start: "SessionStart",
  prompt: "UserPromptSubmit",
  tool: "PostToolUse",
  stop: "Stop",
  end: "SessionEnd",
};

function commandFor(home: string, event: ContractEvent): string[] {
  const file = parseJson(readFileSync(path.join(home, ".claude", "settings.json"), "utf8"));
  const groups = isObject(file) && isObject(file.hooks) ? file.hooks[hookNames[event]] : undefined;
  const [hook] = (Array.isArray(groups) ? groups : [])
    .filter(isObject)
    .flatMap(({ hooks }) => hooks as unknown[]);
  const { command, args } = isObject(hook) ? hook : {};
  return [String(command), ...(Array.isArray(args) ? args.map(String) : [])];
}

function payloadOf(event: ContractEvent, about: ContractSession, transcript: string): object {
  const { session, cwd, prompt, command, output, said } = about;
  const hook_event_name = hookNames[event];
  const base = { session_id: session, transcript_path: transcript, cwd, hook_event_name, prompt_id: PROMPT };
  const response = { stdout: output, stderr: "", interrupted: false };
  const call = {
    tool_name: "Bash",
    tool_input: { command },
    tool_response: response,
    tool_use_id: "toolu_1",
  };
  const payloads: Readonly<Record<ContractEvent, object>> = {
    start: { ...base, source: "startup" },
    prompt: { ...base, prompt },
    tool: { ...base, ...call },
    stop: { ...base, stop_hook_active: false, last_assistant_message: said },
    end: { ...base, reason: "other" },
  };
  return payloads[event];
}

function writeSession(home: string, about: ContractSession): string {
  const { session, cwd, prompt, command, output, said } = about;
  const folder = path.join(home, ".claude", "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const assistant = (id: string, content: object[]) => ({
    type: "assistant",
    message: { id, role: "assistant", model: "claude-test", content },
  });
  const user = (content: unknown) => ({ type: "user", promptId: PROMPT, message: { role: "user", content } });
  const rows = [
    user(prompt),
    assistant("msg_1", [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command } }]),
    user([{ type: "tool_result", tool_use_id: "toolu_1", content: output }]),
    assistant("msg_2", [{ type: "text", text: said }]),
  ];
  const start = Date.UTC(2026, 2, 4, 10);
  const lines = rows.map((row, at) => {
    const linked = { uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: session, cwd };
    return JSON.stringify({ ...row, ...linked, timestamp: new Date(start + at * 1_000).toISOString() });
  });
  const file = path.join(folder, `${session}.jsonl`);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

agentContract({
  name: "claude-code",
  files: { ".claude/settings.json": '{\n\t"model": "opus",\n\t"env": {"A": "b"}\n}\n' },
  edited: { file: ".claude/settings.json", edit: (text) => text.replace("opus", "sonnet") },
  commandFor,
  payloadOf,
  writeSession,
});
