// What goes over the line about memories: the shelf of a project, one of them, and what was done to it.

/** `GET /api/memories?project=ID`. */
export interface MemoryList {
  readonly folder: string;
  readonly items: readonly MemoryItem[];
  readonly findings: readonly MemoryFinding[];
  readonly quarantine: readonly QuarantinedMemory[];
  /** Lines and characters of MEMORY.md, and what is allowed. */
  readonly index: {
    readonly lines: number;
    readonly characters: number;
    readonly maxLines: number;
    readonly maxCharacters: number;
  };
}

export interface MemoryItem {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly standing: "fresh" | "stale" | "unverifiable";
  /** What was checked and found, in words. */
  readonly evidence: readonly string[];
  readonly isActive: boolean;
  readonly author?: string;
  readonly createdAt?: string;
  readonly verifiedAt?: string;
  readonly changedAt: string;
}

export interface MemoryFinding {
  readonly kind: string;
  readonly severity: "error" | "warning" | "note";
  readonly file?: string;
  readonly message: string;
  readonly fix?: string;
}

export interface QuarantinedMemory {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Why it waits, in words. */
  readonly reasons: readonly string[];
  readonly at: string;
}

/** `GET /api/memory?project=ID&file=NAME`. Saved with `POST /api/memory { project, file, text, hash }`. */
export interface MemoryDetail {
  readonly item: MemoryItem;
  /** The whole file. */
  readonly text: string;
  /** Of the text: a save that names another one is a conflict (409). */
  readonly hash: string;
  readonly history: readonly {
    readonly id: string;
    readonly at: string;
    readonly what: string;
    readonly canUndo: boolean;
  }[];
}

/** `POST /api/memory`; 202 for what waits for a person now instead of being saved. */
export type MemorySaved =
  | {
      readonly outcome: "saved";
      readonly file: string;
      /** Kinds of secrets that were hidden. */
      readonly hidden: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: "quarantined"; readonly id: string; readonly reasons: readonly string[] };

/** `POST /api/memory/undo { project, id }`: takes back an entry of the history. */
export interface MemoryUndone {
  readonly files: readonly string[];
}

/** `POST /api/quarantine { project, id, verdict }`: `approve` makes it a memory, `reject` deletes it. */
export interface Reviewed {
  /** The file of what was approved. */
  readonly file?: string;
}
