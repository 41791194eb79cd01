// Where the words for a compaction come from, and what was asked for before a request was prepared.
import type { Block } from "../../messages/index.ts";

/** `messages`: from what the messages themselves say, without a model. */
export type WordsFrom = "on-demand" | "notes" | "model" | "messages";

/** Words that a model gave beforehand. `through` names the last message of the window that they stand for. */
export type ReadySummary =
  | {
      readonly from: "model";
      readonly text: string;
      readonly through: string;
      /** Ids of original messages that the summariser did not get to see. */
      readonly unseen?: readonly string[];
    }
  /** The API's own signed block, sent first in place of what it stands for. */
  | { readonly from: "on-demand"; readonly block: Block; readonly through: string };

/** Words that were not used, and why. */
export interface RefusedWords {
  readonly from: WordsFrom;
  readonly why: string;
}
