// What is made of a turn: observations and a summary, before anybody keeps them.
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
  /** Names the row, where its first source names another. */
  readonly name?: string;
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

/** What a turn takes back of what was done before it. */
export interface Undoing {
  /** Files that were restored, or changed back; `.` for all. */
  readonly files: readonly string[];
  /** Commits that were reverted. */
  readonly commits: readonly string[];
  /** The user asked for it in so many words. */
  readonly isAsked: boolean;
}

export interface ObservedTurn {
  /** No call belongs to two of them; a turn that leaves nothing has none. */
  readonly observations: readonly ObservationDraft[];
  /** Of the whole turn; absent where there is nothing to say. */
  readonly summary?: SummaryDraft;
  readonly undoes?: Undoing;
}
