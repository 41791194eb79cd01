// Coding agents beside Claude Code: one adapter each, with what is installed into it and where its past sessions are.
import type { AgentAdapter } from "./adapter.ts";
import { codexAdapter } from "./codex/adapter.ts";
import { openCodeAdapter } from "./opencode/adapter.ts";
import { piAdapter } from "./pi/adapter.ts";

export type { AgentAdapter, AgentState } from "./adapter.ts";

/** Every agent that Throughline can be installed into, beside Claude Code. */
export const agents: readonly AgentAdapter[] = [codexAdapter, openCodeAdapter, piAdapter];
