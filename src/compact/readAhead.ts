// Reads a conversation before it is compacted, so that a compaction finds the most of it read.
import { followActivity } from "../activity/index.ts";
import type { History } from "../messages/index.ts";
import { userWordsOf } from "./deterministic.ts";
import { followKeyContent } from "./keyContent.ts";
import { ExactMessages, transcriptContent } from "./transcriptText.ts";

/** What was done ahead for the next compaction of a session. */
export class ConversationReading {
  /** The beginning of the conversation that was read last. */
  upTo: History = [];
  /** The messages that will leave, as the vault stores them. */
  readonly exact = new ExactMessages();
  /** How many messages of the conversation the vault holds, as text and exactly. */
  stored = 0;
}

/**
 * Reads what a summary of these messages is made of. A longer history is read from there; a shorter one that is summed up
 * afterwards is read anew.
 */
export function readAhead(history: History): void {
  followActivity(history);
  followKeyContent(history);
  transcriptContent(history);
  userWordsOf(history);
}
