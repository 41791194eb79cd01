// The summary of a transcript of any size: the same numbers a whole read gives, in one pass and bounded memory.
import type { Message } from "../messages/index.ts";
import { digestTranscript } from "./digest.ts";
import type { TranscriptSummary } from "./model.ts";

interface SummaryOptions {
  /** Size of one row's message; rows of one response are measured each on its own. */
  readonly measure?: (message: Message) => number;
}

export interface MeasuredSummary extends TranscriptSummary {
  /** Sum over the main thread; 0 without a measure. */
  readonly tokens: number;
}

/** Keeps ids, links and numbers of the rows, never their contents. Throws as `readConversation` does. */
export async function summarizeTranscript(
  file: string,
  options: SummaryOptions = {},
): Promise<MeasuredSummary> {
  const { summary, skeleton, thread } = await digestTranscript(file, options);
  const tokens = thread.order.reduce((sum, row) => sum + skeleton.sizeOf(row), 0);
  return { ...summary, tokens };
}
