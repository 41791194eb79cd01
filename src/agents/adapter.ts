// What an adapter is: one coding agent beside Claude Code, with what is installed into it and where its past sessions are.
import type { Environment, Home, RuntimeState } from "../home/index.ts";
import type { FileEdit, HookProgram, ServerProgram } from "../install/index.ts";

/** Where an agent is looked for. */
export interface AgentPlace {
  readonly env: Environment;
  /** The user's home folder. */
  readonly homeFolder: string;
}

export interface AgentRequest extends AgentPlace {
  readonly home: Home;
  readonly runtime: RuntimeState;
  readonly program: Pick<HookProgram, "node" | "bundleFile">;
  readonly server: ServerProgram;
  /** A home of Throughline that is not the usual one: hooks of other agents inherit no variable of ours. */
  readonly homeVariable?: string;
  /** Whether the user wants the agent to run the hooks without a review of its own. */
  readonly trust: boolean;
}

/** What of an installation is in the agent's files now. */
export interface AgentState {
  readonly name: string;
  /** Whether the agent is on this machine. */
  readonly isThere: boolean;
  /** Entries that run our hooks, and how many of them the agent runs without asking. */
  readonly hooks: number;
  readonly trusted: number;
  /** Whether the agent starts our MCP server. */
  readonly server: boolean;
  /** The agent loads our plugin, which brings events, window and tools by itself. */
  readonly plugin?: boolean;
  /** Why a file of the agent cannot be read. */
  readonly problem?: string;
}

export interface AgentAdapter {
  /** As users and stored sessions name it; never changed. */
  readonly name: string;
  readonly title: string;
  /** The files that an installation edits, in the order in which they are written. Throws where one cannot be edited safely. */
  edits(request: AgentRequest): readonly FileEdit[];
  /** What the user should know and decide before the agent runs our hooks; undefined where it asks nothing. */
  readonly trust?: { readonly explanation: string; readonly question: string; readonly byHand: string };
  state(place: AgentPlace): AgentState;
  /** Folders in which the agent keeps its sessions. */
  sessionFolders(place: AgentPlace): readonly string[];
  /** The database in which it keeps them, for an agent that has no files. */
  sessionDatabase?(place: AgentPlace): string;
}
