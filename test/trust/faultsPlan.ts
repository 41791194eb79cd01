// What a run with faults is made of: its size, its places, and the events that its agents report.
import path from "node:path";
import type { JsonObject } from "../../src/lib/index.ts";
import { callRow, promptRow, resultRow } from "../worker/rows.ts";

export interface FaultPlan {
  readonly seed: number;
  readonly agents: number;
  readonly events: number;
  readonly faults: number;
  /** How long a fault lasts at most. */
  readonly longestMs: number;
  /** How long nothing may come in before the run is taken for settled. */
  readonly stillMs: number;
  /** A small disk for the home; everything else is beside it. */
  readonly disk: string;
  readonly folder: string;
  /** The built hooks and the preloaded clock. */
  readonly hooks: string;
  readonly clock: string;
}

export const claudeFolder = ({ folder }: FaultPlan): string => path.join(folder, "claude");
export const clockFile = ({ folder }: FaultPlan): string => path.join(folder, "offset");

export function environment(plan: FaultPlan): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: plan.folder,
    THROUGHLINE_HOME: path.join(plan.disk, "h"),
    THROUGHLINE_WORKER_PORT: "0",
    CLAUDE_CONFIG_DIR: claudeFolder(plan),
    NODE_OPTIONS: `--require ${plan.clock}`,
    THROUGHLINE_TEST_CLOCK: clockFile(plan),
  };
}

export interface Happening {
  readonly hook: "answer" | "capture";
  readonly session: string;
  readonly rows: readonly JsonObject[];
  readonly payload: JsonObject;
  /** What the store must have once; absent for what no transcript has. */
  readonly key?: string;
}

const SESSION_EVENTS = 25;
const TURN_EVENTS = 6;

/** The n-th event of an agent: sessions of some turns, each a prompt, some calls of tools, and its end. */
export function happening(plan: FaultPlan, agent: number, at: number): Happening {
  const number = Math.floor(at / SESSION_EVENTS);
  const session = `5e55${String(agent).padStart(4, "0")}-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const transcript = path.join(claudeFolder(plan), "projects", `-p${agent}`, `${session}.jsonl`);
  const base = { session_id: session, transcript_path: transcript, cwd: "/" };
  const step = at % SESSION_EVENTS;
  const inTurn = (step - 1) % TURN_EVENTS;
  const prompt = `p-${agent}-${at - inTurn}`;
  const event = (name: string, more: JsonObject): JsonObject => ({ ...base, hook_event_name: name, ...more });
  if (step === 0)
    return { hook: "answer", session, rows: [], payload: event("SessionStart", { source: "startup" }) };
  if (step === SESSION_EVENTS - 1)
    return { hook: "capture", session, rows: [], payload: event("SessionEnd", { reason: "other" }) };
  if (inTurn === 0) {
    const text = `please do ${prompt}`;
    const rows = [promptRow(session, at, text, prompt)];
    const payload = event("UserPromptSubmit", { prompt: text, prompt_id: prompt });
    return { hook: "answer", session, rows, payload, key: prompt };
  }
  if (inTurn === TURN_EVENTS - 1) {
    const said = { prompt_id: prompt, last_assistant_message: `did ${prompt}` };
    return { hook: "capture", session, rows: [], payload: event("Stop", said) };
  }
  const id = `toolu_${agent}_${at}`;
  const tool = {
    tool_name: "Bash",
    tool_use_id: id,
    prompt_id: prompt,
    tool_input: { command: `run ${id}` },
    tool_response: { stdout: `answer ${id}\n`.repeat(1 + (at % 40)) },
  };
  const rows = [callRow(session, at, id), resultRow(session, at, id)];
  return { hook: "capture", session, rows, payload: event("PostToolUse", tool), key: id };
}

/** How many events an agent reports. */
export function eventsOf({ events, agents }: FaultPlan, agent: number): number {
  return Math.floor(events / agents) + (agent < events % agents ? 1 : 0);
}
