// What is made of a turn: observations and a summary, before anybody keeps them.

import type { SummedUp, ToolCall } from "../activity/index.ts";
import type { Language } from "../home/index.ts";
import type { ObservationType } from "../lib/index.ts";

/** One thing worth knowing later. */
export interface ObservationDraft {
  readonly type: ObservationType;
  readonly title: string;
  readonly subtitle?: string;
  readonly narrative?: string;
  /** One line for each call it tells of. */
  readonly text: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  /** The tool that did most of it. */
  readonly toolName?: string;
  /** The calls it tells of, by their ids, and never empty: the first is what the draft can be named by. */
  readonly sources: readonly string[];
  /** The rows that say so: closing words, the reply that chose and what it answers, a commit, a check. */
  readonly evidence: readonly string[];
}

/** Where things stand at the end of a turn. */
export interface SummaryDraft {
  readonly request?: string;
  readonly investigated?: string;
  readonly learned?: string;
  readonly completed?: string;
  readonly nextSteps?: string;
  readonly notes?: string;
}

/** A turn, or the part of one that is to be observed now. Its texts are redacted before they come here. */
export interface TurnToObserve {
  /** The user's words; empty for a subagent, which the user did not ask. */
  readonly request: string;
  readonly calls: readonly ToolCall[];
  /** What the assistant said at the end; empty where the turn goes on. */
  readonly words: string;
  /** The rows that hold the request, the closing words, and what was said before. */
  readonly rows?: {
    readonly request?: string | undefined;
    readonly words?: string | undefined;
    readonly before?: string | undefined;
  };
  /** The calls to be observed; the others are known from before and explain these. All of them unless given. */
  readonly fresh?: ReadonlySet<string>;
  /** The working folder: paths below it are written relative to it. */
  readonly folder?: string;
  /** What the assistant said before the user spoke: a "yes" says nothing without it. */
  readonly before?: string;
  /** The agent's own summary, where the conversation was compacted during the turn. */
  readonly agentSummary?: SummedUp;
  /** Subagents are observed by themselves: their reports are not repeated. */
  readonly reported?: boolean;
  readonly language?: Language;
}

export interface ObservedTurn {
  /** No call belongs to two of them; a turn that leaves nothing has none. */
  readonly observations: readonly ObservationDraft[];
  /** Of the whole turn; absent where there is nothing to say. */
  readonly summary?: SummaryDraft;
}
