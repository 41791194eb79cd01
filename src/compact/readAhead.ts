// Reads a conversation before it is compacted, so that a compaction finds the most of it read.
import { followActivity } from "../activity/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import type { Vault } from "../vault/index.ts";
import { userWordsOf } from "./deterministic.ts";
import { followKeyContent } from "./keyContent.ts";
import { ExactMessages, transcriptContent } from "./transcriptText.ts";

/** Messages that are read together, and the most that are after a restart or a leap. */
const STEP = 64;
const MOST_AT_ONCE = 128;
/** Messages after which what was read is put into the vault, which a compaction would have to do at once. */
const STORED_EVERY = 512;

/** What was done ahead for the next compaction of a session. */
export class ConversationReading {
  /** The beginning of the conversation that was read last. */
  upTo: History = [];
  /** The messages that will leave, as the vault stores them. */
  readonly exact = new ExactMessages();
  /** How many messages of the conversation the vault holds, as text and exactly. */
  #stored = 0;

  #readOf(history: History) {
    return this.upTo.at(-1) === history[this.upTo.length - 1] ? this.upTo.length : 0;
  }

  /** Whether there is enough to read before `end`. */
  isDue(history: History, end: number): boolean {
    return end - this.#readOf(history) >= STEP;
  }

  /** Reads a part of what stands before `end`. True where so much was read that it should be stored. */
  readOn(history: History, end: number): boolean {
    if (!this.isDue(history, end)) return false;
    this.upTo = history.slice(0, Math.min(end, this.#readOf(history) + MOST_AT_ONCE));
    readAhead(this.upTo);
    const { length } = this.upTo;
    return length - this.#stored >= STORED_EVERY || length <= this.#stored;
  }

  /** Puts what was read into the vault: as text, and the messages of the window exactly. */
  store(vault: Vault, session: string, window: History): void {
    this.#stored = this.upTo.length;
    const leaving = window.slice(0, window.lastIndexOf(this.upTo.at(-1) as HistoryItem) + 1);
    const origin = { session, level: "autocompact" };
    try {
      vault.put(transcriptContent(this.upTo), origin);
      if (leaving.length > 0) vault.put(this.exact.contentOf(leaving), origin);
    } catch (error) {
      // The request is recorded already. The compaction stores what is missing, or says why it cannot.
      if (!(error instanceof ThroughlineError)) throw error;
    }
  }
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
