// What the contract needs of an agent with a plugin: the hooks that the plugin runs, with what it hands them.
import { readFileSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson } from "../../src/lib/index.ts";
import type { ContractEvent, ContractSession } from "./contract.ts";

const hookNames: Readonly<Record<ContractEvent, string>> = {
  start: "SessionStart",
  prompt: "UserPromptSubmit",
  tool: "PostToolUse",
  stop: "Stop",
  end: "SessionEnd",
};

/** The command of an event, as the plugin makes it of the options in its own file. */
export function pluginCommand(agent: string, file: string, event: ContractEvent): string[] {
  const options = parseJson(/\{"node":.*?\}/.exec(readFileSync(file, "utf8"))?.[0] ?? "");
  if (!isObject(options)) return [];
  const bundle = event === "start" || event === "prompt" ? "answer" : "capture";
  const hook = path.join(String(options.folder), "dist", "hooks", `${bundle}.cjs`);
  return [String(options.node), hook, agent, String(options.home)];
}

/** What the plugin hands to the hook: Claude Code's form. */
export function pluginPayload(event: ContractEvent, about: ContractSession, prompt: string, call: string) {
  const { session, cwd, command, output, said } = about;
  const base = { hook_event_name: hookNames[event], session_id: session, cwd, prompt_id: prompt };
  const payloads: Readonly<Record<ContractEvent, object>> = {
    start: { ...base, prompt_id: undefined, source: "startup" },
    prompt: { ...base, prompt: about.prompt },
    tool: {
      ...base,
      ...{ tool_name: "Bash", tool_input: { command }, tool_response: output, tool_use_id: call },
    },
    stop: { ...base, last_assistant_message: said },
    end: { ...base, reason: "quit" },
  };
  return payloads[event];
}
