// The budget for tool results on the lane of hooks, where the setting asks for it: Bash output over it is replaced by a preview.

import type { Environment, Home } from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import { wholeOutput } from "../intake/index.ts";
import { defined, isObject } from "../lib/index.ts";
import { openWindows } from "../mods/index.ts";
import { budgetForHost } from "../pipeline/index.ts";
import { type CapturedEvent, persistedOutput } from "../spool/index.ts";

/** What the hook redacted before it wrote the event: the original is not known here, and must not be replaced. */
const HIDDEN = /\[redacted\b/;

function resultOf(event: CapturedEvent) {
  const { tool_name: tool, tool_use_id: toolUseId, tool_response: response } = event.payload;
  if (tool !== "Bash" || typeof toolUseId !== "string" || !isObject(response)) return undefined;
  const { stdout } = response;
  if (typeof stdout !== "string" || HIDDEN.test(stdout)) return undefined;
  const file = persistedOutput(event);
  const text =
    file === undefined || event.transcript === undefined ? undefined : wholeOutput(file, event.transcript);
  const whole = file === undefined || text === undefined ? undefined : { text, file };
  return { toolUseId, tool, content: stdout, isError: false, ...defined({ whole }) };
}

/** Answers a hook that waits after a tool has run. Empty where the setting is off, and for subagents. */
export function hookBudget(
  home: Home,
  env: Environment,
): (event: CapturedEvent, project: string) => HookAnswer {
  const openWindow = openWindows(home, env);
  return (event, project) => {
    const result = event.agent === undefined && event.kind === "tool" ? resultOf(event) : undefined;
    if (!result) return {};
    const { session, transcript } = event;
    const asker = { session, project, transcript, model: undefined, version: undefined, pid: undefined };
    const window = openWindow({ ...asker, prompt: undefined });
    if (!window.values.budget.hooks) return {};
    const shown = budgetForHost(window.session, result, { model: window.model });
    if (!shown || typeof shown.content !== "string") return {};
    const response = isObject(event.payload.tool_response) ? event.payload.tool_response : {};
    const { persistedOutputPath: _path, persistedOutputSize: _size, ...rest } = response;
    return { toolOutput: { ...rest, stdout: shown.content } };
  };
}
