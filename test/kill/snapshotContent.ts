// What is said in the session of a snapshot's writer: long enough to be caught half-written.

export const snapshotWords = (session: string): string => `the words of ${session} `.repeat(2_000).trim();

/** The key of the machine that writes and reads them. */
export const snapshotKillKey: Uint8Array = Buffer.alloc(32, 7);
