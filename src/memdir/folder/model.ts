// What a memory is: one fact of a closed set of types, where it came from, and how far it can be trusted.

/** The whole set. What fits none of them is not a memory. */
export const memoryTypes = ["user", "feedback", "project", "reference"] as const;
/** One of `memoryTypes`. */
export type MemoryType = (typeof memoryTypes)[number];

export const isMemoryType = (value: unknown): value is MemoryType =>
  memoryTypes.some((type) => type === value);

/** Whether memories of this type tell a model how to work: that is what they are kept for. */
export const isGuidance = (type: MemoryType | undefined) => type === "user" || type === "feedback";

/** Whose words it is made of. `tool` is everything that a program or a page said. */
export const authors = ["user", "assistant", "tool"] as const;
export type Author = (typeof authors)[number];

export const trusts = ["high", "medium", "low"] as const;
type Trust = (typeof trusts)[number];

export const trustOf: Readonly<Record<Author, Trust>> = { user: "high", assistant: "medium", tool: "low" };

export const memoryLimits = {
  /** Bytes of one memory. More is a document, which a memory can point at. */
  memoryBytes: 100_000,
  /** Bytes of a file that is read at all. */
  readBytes: 1_000_000,
  /** Bytes of a day of the log. */
  logBytes: 16_000_000,
  frontmatterBytes: 16_000,
  nameCharacters: 100,
  descriptionCharacters: 300,
} as const;

export interface MemoryProvenance {
  /** ISO times. */
  readonly created?: string;
  readonly lastVerified?: string;
  readonly expires?: string;
  readonly session?: string;
  readonly turn?: string;
  readonly author?: Author;
  readonly trust?: Trust;
  /** Files of the memories that this one replaced. */
  readonly supersedes?: readonly string[];
  /** The end of its validity, and what replaced it. The interval begins with `created`. */
  readonly validUntil?: string;
  readonly supersededBy?: string;
}

/** What a memory says, and where it came from. */
export interface MemoryContent extends MemoryProvenance {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType;
  readonly body: string;
}

/** What stays of a memory when its words are replaced. */
export type KeptFields = Pick<MemoryContent, "created" | "lastVerified" | "validUntil" | "supersededBy">;

/** A memory as it lies in the folder; what could not be read of it is undefined or empty, and among the problems. */
export interface StoredMemory extends Omit<MemoryContent, "type"> {
  readonly type: MemoryType | undefined;
  /** Its name in the folder. */
  readonly file: string;
  readonly hash: string;
  readonly bytes: number;
  readonly modifiedAt: number;
  readonly text: string;
  readonly problems: readonly string[];
}

/** How much of the history of memories is kept; what undo needs always is. */
export interface HistoryRule {
  /** Every change of so many days. 0 keeps all of them for ever. */
  readonly days: number;
  /** And of each memory so many changes, however old. */
  readonly versions: number;
}

/** Where memories live. */
export interface MemoryPlace {
  /** The memories themselves, and their index. */
  readonly folder: string;
  /** What Throughline keeps about them: versions, the log of changes, quarantine. Never in the folder itself. */
  readonly books: string;
  /** Whether Claude Code loads this folder by itself. */
  readonly isClaudes: boolean;
  /** 90 days and 20 changes unless something else is said. */
  readonly history?: HistoryRule;
}

/** A day lasts until it is over, where the person is. */
function endOfDate(time: string) {
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(time) ? `${time}T23:59:59.999` : time);
}

export const hasExpired = ({ expires, supersededBy }: StoredMemory, now: number) =>
  supersededBy === undefined && expires !== undefined && endOfDate(expires) <= now;

/** Whether it may be told: neither superseded, nor past the end of its validity, nor expired. */
export const isActive = (memory: StoredMemory, now: number) =>
  memory.supersededBy === undefined &&
  !(memory.validUntil !== undefined && Date.parse(memory.validUntil) <= now) &&
  !hasExpired(memory, now);
