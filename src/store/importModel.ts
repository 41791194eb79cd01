// The part of the contract that importing the past is built on: work that is held, sources that are done, rows that were copied.

export interface RecordOptions {
  /**
   * Holds the work that the events ask for until their source is finished: a turn that is there by half must not be
   * observed. At most until this time, in milliseconds since the epoch, should nobody ever finish it.
   */
  readonly holdUntil?: number;
}

export interface FinishedSource {
  /** Names the source without telling where it is: a hash of its path, say. */
  readonly key: string;
  /** What it looked like. Absent when it has to be looked at again next time. */
  readonly state?: string;
  /** The session whose held work can be done now. */
  readonly session?: string;
}

export interface StoreImports {
  /** What a source looked like when it was finished; undefined for one that has to be looked at. */
  sourceState(key: string): Promise<string | undefined>;
  /** Notes that all of a source is kept and lets its work go, both or neither. */
  finishSource(source: FinishedSource): Promise<void>;
  /** Those of the messages that another session has too: a fork begins with a copy of its origin's. */
  messagesElsewhere(session: string, uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the messages that are there. */
  knownMessages(session: string, uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many jobs of these kinds are being done, or could be now. */
  workDue(kinds: readonly string[], now: number): Promise<number>;
}
