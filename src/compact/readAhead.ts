// Reads a conversation before it is compacted, so that a compaction finds the most of it read.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { followActivity } from "../activity/index.ts";
import { ThroughlineError, tolerating, writeFileAtomic } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import type { GrowingState, Vault } from "../vault/index.ts";
import { userWordsOf } from "./deterministic.ts";
import { followKeyContent, restoreKeyContent } from "./keyContent/keyContent.ts";
import type { PackedKeyContent } from "./keyContent/keyContentState.ts";
import { ExactMessages, keepTranscript, transcriptContent, transcriptState } from "./transcriptText.ts";

/** Messages that are read together, and the most that are after a restart or a leap. */
const STEP = 64;
const MOST_AT_ONCE = 128;
/** Actions and words are read anew after a restart, many more messages in the same time. */
const MOST_ACTIONS_AT_ONCE = 2_048;
/** Messages after which what was read is put into the vault, which a compaction would have to do at once. */
const STORED_EVERY = 512;

/** Where what was read is kept between processes: absent, it is read again. */
export interface ReadingStore {
  load(): Uint8Array | undefined;
  save(reading: Uint8Array): void;
}

/** A file that can be made again: it is written whole or not at all. */
export function readingFile(file: string): ReadingStore {
  return {
    load: () => tolerating(() => readFileSync(file), "ENOENT"),
    save: (reading) => writeFileAtomic(file, reading),
  };
}

/** What a process has read of the first messages of a conversation. */
interface KeptReading {
  readonly version: 1;
  readonly length: number;
  /** The id of the last of them, which stands for all before it. */
  readonly last: string;
  readonly keyContent: PackedKeyContent;
  readonly transcript: GrowingState;
}

/** What was done ahead for the next compaction of a session. */
export class ConversationReading {
  /** The beginning of the conversation that was read last. */
  upTo: History = [];
  /** The messages that will leave, as the vault stores them. */
  readonly exact = new ExactMessages();
  /** How many messages of the conversation the vault holds, as text and exactly. */
  #stored = 0;
  /** What the last compaction of this process took out, and how much is kept for the next process. */
  #covered: History = [];
  #kept = 0;
  /** How many messages were read for their actions and words. */
  #followed = 0;
  readonly #store: ReadingStore | undefined;
  readonly #isSame: () => boolean;
  #isRestored = false;

  /** `isSame` tells whether the conversation is the one that was kept, word for word. */
  constructor(store?: ReadingStore, isSame: () => boolean = () => true) {
    [this.#store, this.#isSame] = [store, isSame];
  }

  #readOf(history: History) {
    return this.upTo.at(-1) === history[this.upTo.length - 1] ? this.upTo.length : 0;
  }

  /** Goes on with what the process before has read; called before a conversation is read for the first time. */
  restore(history: History): void {
    if (this.#isRestored || !this.#store) return;
    this.#isRestored = true;
    const kept = parseReading(this.#store.load());
    const beginning = history.slice(0, kept?.length ?? 0);
    if (!kept || beginning.at(-1)?.id !== kept.last || !this.#isSame()) return;
    restoreKeyContent(beginning, kept.keyContent);
    keepTranscript(beginning, kept.transcript);
    [this.upTo, this.#stored, this.#kept] = [beginning, beginning.length, beginning.length];
  }

  /**
   * True while this process has not read all that the one before had: a compaction would have to read the rest at once, however
   * small the window is.
   */
  isBehind(history: History): boolean {
    if (!this.#isRestored) return this.#store !== undefined;
    return this.#followed < Math.min(this.#kept, this.#readOf(history));
  }

  /** Whether there is enough to read before `end`. */
  isDue(history: History, end: number): boolean {
    return end - Math.min(this.#readOf(history), this.#followed) >= STEP;
  }

  /** Reads a part of what stands before `end`. True where so much was read that it should be stored. */
  readOn(history: History, end: number): boolean {
    if (!this.#isRestored && this.#store) {
      this.restore(history);
      // Enough for one request.
      return false;
    }
    const read = this.#readOf(history);
    if (read === 0) this.#followed = 0;
    if (end - this.#followed < STEP) return false;
    this.#followed = Math.min(
      end,
      this.#followed + (read > this.#followed ? MOST_ACTIONS_AT_ONCE : MOST_AT_ONCE),
    );
    const followed = history.slice(0, this.#followed);
    followActivity(followed);
    userWordsOf(followed);
    if (end - read < STEP) return false;
    const isNew = read === 0 && this.#store !== undefined;
    this.upTo = history.slice(0, Math.min(end, read + MOST_AT_ONCE));
    if (isNew) keepTranscript(this.upTo, "kept");
    followKeyContent(this.upTo);
    transcriptContent(this.upTo);
    const { length } = this.upTo;
    return length - this.#stored >= STORED_EVERY || length <= this.#stored;
  }

  /** Reads all that a compaction of `covered` needs, in a conversation that the attachments then read to its end. */
  readAll(covered: History, history: History): void {
    this.restore(history);
    if (this.#readOf(history) === 0 && this.#store && covered.length > 0) keepTranscript(covered, "kept");
    readAhead(covered);
    [this.upTo, this.#followed, this.#covered] = [history, history.length, covered];
  }

  /** Keeps what a compaction has read, once the vault has what it took out and enough was read since the last time. */
  keepCovered(): void {
    if (this.#covered.length - this.#kept >= STORED_EVERY) this.#keep(this.#covered);
  }

  /** Puts what was read into the vault: as text, and the messages of the window exactly. */
  store(vault: Vault, session: string, window: History): void {
    this.#stored = this.upTo.length;
    const leaving = window.slice(0, window.lastIndexOf(this.upTo.at(-1) as HistoryItem) + 1);
    const origin = { session, level: "autocompact" };
    try {
      vault.put(transcriptContent(this.upTo), origin);
      if (leaving.length > 0) vault.put(this.exact.contentOf(leaving), origin);
      this.#keep(this.upTo);
    } catch (error) {
      // The request is recorded already. The compaction stores what is missing, or says why it cannot.
      if (!(error instanceof ThroughlineError)) throw error;
    }
  }

  #keep(read: History) {
    const transcript = this.#store && transcriptState(read);
    if (!transcript) return;
    const keyContent = followKeyContent(read).packed();
    const last = read.at(-1)?.id ?? "";
    this.#store?.save(readingBytes({ version: 1, length: read.length, last, keyContent, transcript }));
    this.#kept = read.length;
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

const DIGEST_BYTES = 32;
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** The bytes of the file: their own digest first, so that a damaged file counts as none. */
function readingBytes(kept: KeptReading) {
  const bytes = serialize(kept);
  return Buffer.concat([digestOf(bytes), bytes]);
}

/** Undefined for a file that is damaged or of another version. */
function parseReading(bytes: Uint8Array | undefined): KeptReading | undefined {
  const body = bytes?.subarray(DIGEST_BYTES);
  if (!bytes || !body || !digestOf(body).equals(bytes.subarray(0, DIGEST_BYTES))) return undefined;
  const kept = deserialize(body) as KeptReading;
  return kept.version === 1 ? kept : undefined;
}
