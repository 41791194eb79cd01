// What happened in a conversation, as far as code can tell: the shapes that compaction, notes and memory share.

/** A person's own words. */
export interface UserInput {
  /** The message that holds them. */
  readonly item: string;
  /** Index of that message. */
  readonly at: number;
  readonly text: string;
}

export type FileAction = "read" | "edited" | "written";

/** Everything that was done with one file. */
export interface FileActivity {
  readonly path: string;
  readonly reads: number;
  readonly edits: number;
  /** Written as a whole: created, or replaced. */
  readonly writes: number;
  readonly lastDeed: FileAction;
  /** Index of the message of the last action. */
  readonly lastAt: number;
  /** The last call that read it, and a hash of what it gave. */
  readonly lastRead?: { readonly toolUseId: string; readonly hash: string };
}

export type Outcome = "ok" | "failed" | "open";

/** A command that was run in a shell. */
export interface CommandRun {
  readonly at: number;
  readonly toolUseId: string;
  readonly command: string;
  readonly outcome: Outcome;
  /** The line of its output that says most: an error, or the last one. */
  readonly tells: string;
}

/** A call that failed, and what is known of its end. */
export interface Failure {
  readonly at: number;
  readonly toolUseId: string;
  readonly tool: string;
  /** What was tried. */
  readonly attempt: string;
  readonly error: string;
  /** How the same attempt came to succeed: what was changed in between. */
  readonly fixedBy?: string;
}

export interface Todo {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** A sentence that binds later work. */
export interface Saying {
  readonly at: number;
  readonly by: "user" | "assistant";
  readonly text: string;
}

/** A task given to a subagent, how it ended, and what it reported, in one line. */
export interface Delegation {
  readonly at: number;
  readonly task: string;
  readonly outcome: Outcome;
  readonly report: string;
}

export interface Activity {
  /** All user inputs, oldest first. */
  readonly inputs: readonly UserInput[];
  /** By last action, oldest first. */
  readonly files: readonly FileActivity[];
  readonly commands: readonly CommandRun[];
  readonly failures: readonly Failure[];
  /** The list as it stands at the end. */
  readonly todos: readonly Todo[];
  readonly plan?: { readonly at: number; readonly text: string; readonly approved: boolean };
  readonly decisions: readonly Saying[];
  readonly constraints: readonly Saying[];
  readonly delegations: readonly Delegation[];
  /** The last request, and whether the assistant closed its answer to it. */
  readonly openRequest?: UserInput & { readonly answered: boolean };
  /** What the assistant said last. */
  readonly lastWords?: { readonly at: number; readonly text: string };
}
