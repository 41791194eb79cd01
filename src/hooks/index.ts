// One tiny program for each way the agent calls: what it is built into, and what is kept of each event.
import { type CapturedHook, capturedHooks } from "../spool/index.ts";

/** A bundle in `dist/hooks`. */
type HookBundle = "capture" | "answer" | "precompact";

interface HookEntry {
  /** The agent's name for the event. */
  readonly hook: CapturedHook;
  readonly bundle: HookBundle;
  /** What the worker relies on in the payload. */
  readonly fields: readonly string[];
  /** What makes an event of this kind the same when it is seen again. */
  readonly sameness: string;
}

const entry = (
  hook: CapturedHook,
  bundle: HookBundle,
  fields: readonly string[],
  sameness: string,
): HookEntry => ({ hook, bundle, fields, sameness });

const tool = ["tool_name", "tool_input", "tool_use_id", "duration_ms"];

/** Every event that is captured, in the order in which a session meets them. */
export const hookEntries: readonly HookEntry[] = [
  entry("SessionStart", "answer", ["source", "model"], "source; second of a resume or compaction"),
  entry("UserPromptSubmit", "answer", ["prompt", "prompt_id"], "prompt_id, else the text"),
  entry("PostToolUse", "capture", [...tool, "tool_response"], "tool_use_id"),
  entry("PostToolUseFailure", "capture", [...tool, "error", "is_interrupt"], "tool_use_id"),
  entry("Stop", "capture", ["last_assistant_message", "prompt_id"], "prompt_id and last message"),
  entry(
    "SubagentStop",
    "capture",
    ["agent_id", "agent_type", "agent_transcript_path", "last_assistant_message"],
    "prompt_id and last message, in its agent",
  ),
  entry("PreCompact", "precompact", ["trigger", "custom_instructions"], "trigger, prompt_id and second"),
  entry("PostCompact", "capture", ["trigger", "compact_summary"], "trigger, prompt_id and summary"),
  entry("SessionEnd", "capture", ["reason", "prompt_id"], "prompt_id, else reason and second"),
];

/** The kind of event that a hook's payload becomes. */
export function kindOf({ hook }: HookEntry): (typeof capturedHooks)[CapturedHook] {
  return capturedHooks[hook];
}

export const hookNames: readonly CapturedHook[] = hookEntries.map(({ hook }) => hook);

/** The bundle that an event of the agent is handled by. */
export function bundleOf(hook: CapturedHook): HookBundle {
  return hookEntries.find((one) => one.hook === hook)?.bundle ?? "capture";
}
