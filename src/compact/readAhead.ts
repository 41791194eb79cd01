// Reads a conversation before it is compacted, so that a compaction finds the most of it read.
import { followActivity } from "../activity/index.ts";
import type { History } from "../messages/index.ts";
import { userWordsOf } from "./deterministic.ts";
import { followKeyContent } from "./keyContent.ts";
import { transcriptContent } from "./transcriptText.ts";

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
