// The budget on the lane of hooks, where the user asked for it: what Bash printed over it is replaced for the model.

import type { Environment, Home } from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import { wholeOutput } from "../intake/index.ts";
import { isObject } from "../lib/index.ts";
import { openWindows } from "../mods/index.ts";
import { budgetForHost, type HostResult } from "../pipeline/index.ts";
import { type CapturedEvent, persistedOutput } from "../spool/index.ts";

/** What the hook hid before it wrote the event down: what was there is not known here, and must not be replaced by it. */
const HIDDEN = /\[redacted\b/;

function resultOf(event: CapturedEvent): HostResult | undefined {
  const { tool_name: tool, tool_use_id: toolUseId, tool_response: response } = event.payload;
  if (tool !== "Bash" || typeof toolUseId !== "string" || !isObject(response)) return undefined;
  const { stdout } = response;
  if (typeof stdout !== "string" || HIDDEN.test(stdout)) return undefined;
  const file = persistedOutput(event);
  const text =
    file === undefined || event.transcript === undefined ? undefined : wholeOutput(file, event.transcript);
  const whole = file === undefined || text === undefined ? {} : { whole: { text, file } };
  return { toolUseId, tool, content: stdout, isError: false, ...whole };
}

/** Answers a hook that waits after a tool has run. Nothing where it is not wanted, and nothing for subagents. */
export function hookBudget(
  home: Home,
  env: Environment,
): (event: CapturedEvent, project: string) => HookAnswer {
  const openWindow = openWindows(home, env);
  return (event, project) => {
    const result = event.agent === undefined && event.kind === "tool" ? resultOf(event) : undefined;
    if (result === undefined) return {};
    const { session, transcript } = event;
    const asker = { session, project, transcript, model: undefined, version: undefined, pid: undefined };
    const window = openWindow({ ...asker, prompt: undefined });
    if (!window.values.budget.hooks) return {};
    const shown = budgetForHost(window.session, result, { model: window.model });
    if (shown === undefined || typeof shown.content !== "string") return {};
    const response = isObject(event.payload.tool_response) ? event.payload.tool_response : {};
    const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
    const hookSpecificOutput = {
      hookEventName: "PostToolUse",
      updatedToolOutput: { ...rest, stdout: shown.content },
    };
    return { stdout: JSON.stringify({ hookSpecificOutput }) };
  };
}
