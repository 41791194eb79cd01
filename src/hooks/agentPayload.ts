// What a hook of an agent other than Claude Code does first. A bundle of its own, loaded where the hook's command names one.
import { payloadOf } from "../agents/payload.ts";
import type { JsonObject } from "../lib/index.ts";
import { Trouble } from "./trouble.ts";

/**
 * Takes the arguments of the hook's command: the agent, and the home it was installed for, since other agents pass no
 * variables of ours on. Gives what reads the agent's payloads.
 */
export function enterAgent(argv: readonly string[], env: Record<string, string | undefined>) {
  const [, , agent = "", home] = argv;
  if (home !== undefined) env.THROUGHLINE_HOME ??= home;
  // Claude Code's, inherited by an agent that was started in one of its shells.
  for (const name of ["CLAUDE_PID", "CLAUDE_PROJECT_DIR"]) delete env[name];
  return (payload: JsonObject): JsonObject => {
    const read = payloadOf(agent, payload);
    if (read === undefined) throw new Trouble(`no agent is called ${agent.slice(0, 40)}`);
    return { ...read, agent_client: agent };
  };
}
