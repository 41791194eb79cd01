// What asks for an archive, and what became of it.

export interface ArchiveRequest {
  readonly transcript: string;
  readonly session: string;
}

/** `failed` also when it was interrupted or another process holds the archive. `left`: archives are off, or nothing is new. */
export type ArchiveOutcome = "archived" | "left" | "failed";
