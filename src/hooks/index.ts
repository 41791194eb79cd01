// One tiny program for each way the agent calls: what it is built into, and which events it is for.
import { type CapturedHook, capturedHooks } from "../spool/index.ts";

/** A bundle in `dist/hooks`. */
export type HookBundle = "capture" | "answer" | "precompact";

const others: Readonly<Partial<Record<CapturedHook, HookBundle>>> = {
  SessionStart: "answer",
  UserPromptSubmit: "answer",
  PreCompact: "precompact",
};

/** The bundle that an event of the agent is handled by. */
export function bundleOf(hook: CapturedHook): HookBundle {
  return others[hook] ?? "capture";
}

export const hookNames = Object.keys(capturedHooks) as readonly CapturedHook[];
