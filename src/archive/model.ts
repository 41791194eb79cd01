// What an archive is made of: its parts in order, what its header says, and how both are written.

type PartKind =
  | "text"
  | "thinking"
  | "call"
  | "result"
  | "attachment"
  | "compaction"
  /** Written by the agent's client as user or assistant: an interruption, an error of the API. */
  | "client";

/** One piece of a conversation, with its secrets hidden. */
export interface ArchivePart {
  readonly kind: PartKind;
  /** Who speaks; the prompt that a subagent was given is a `user`'s too. */
  readonly role?: "user" | "assistant";
  /** The subagent whose conversation it belongs to. */
  readonly agent?: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** The row it was read from. */
  readonly id?: string;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly isError?: boolean;
  /** The whole text, or for tools, thinking and attachments what is shown of it. */
  readonly text: string;
  /** Of what is not shown whole: its size, and where its exact bytes are. */
  readonly more?: { readonly size: number; readonly unit: "characters" | "bytes"; readonly handle?: string };
}

export interface HeaderFacts {
  readonly title: string;
  /** When the file was first written, in milliseconds since the epoch. */
  readonly archivedAt: number;
  readonly session: string;
  readonly group: string;
  /** The folder the session was started in. */
  readonly project?: string;
  readonly models: readonly string[];
  readonly assistantName: string;
  readonly content: ArchiveContent;
  /** IANA name; undefined is the system's own. */
  readonly timeZone?: string;
}

interface PartPlace extends Pick<HeaderFacts, "assistantName" | "content"> {
  readonly isFirst: boolean;
}

/** How an archive is written: a header, parts one behind the other, and a trailer that follows the last. */
export interface ArchiveFormat {
  readonly extension: string;
  readonly trailer: string;
  header(facts: HeaderFacts): string;
  part(part: ArchivePart, place: PartPlace): string;
  /** Where the header ends in the beginning of a file, in bytes; undefined when there is none. */
  headerEnd(beginning: Buffer): number | undefined;
  /** Whether a header is that of this session, whose header was last written as `known`. */
  isOf(header: string, session: string, known: string | undefined): boolean;
}

/** The forms of an archive. */
export type ArchiveFormatName = "md" | "json";

/** What was said by user and assistant alone, or also what was done, by whom, and the session's facts. */
export type ArchiveContent = "conversation" | "full";

export interface ArchiveRequest {
  readonly transcript: string;
  readonly session: string;
}

/** `failed` also when it was interrupted or another process holds the archive. `left`: archives are off, or nothing is new. */
export type ArchiveOutcome = "archived" | "left" | "failed";
