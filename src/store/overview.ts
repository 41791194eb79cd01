// The contract of overviews: rows of all kinds in one order, days, and digests of projects and sessions.

import type { ObservationType } from "../lib/index.ts";
import type { Page, PageRequest, Scope } from "./model.ts";
import type { IndexedRow } from "./searchableText.ts";

/** What a chronicle is made of, in the order in which things of one instant came about. */
export const chronicleKinds = ["prompt", "observation", "summary"] as const;

export type ChronicleKind = (typeof chronicleKinds)[number];

export interface ChronicleFilter extends Scope {
  readonly kinds?: readonly ChronicleKind[];
  /** The rest is about observations, and leaves out everything else. */
  readonly type?: ObservationType;
  /** A file that was read or changed, or the end of its path. */
  readonly file?: string;
  readonly concept?: string;
}

export type ChronicleRow = Extract<IndexedRow, { readonly kind: ChronicleKind }>;

/** How much there is on a day, such as `2026-11-16`. */
export interface ChronicleDay {
  readonly day: string;
  readonly rows: number;
}

export interface ProjectDigest {
  readonly project: string;
  readonly sessions: number;
  readonly observations: number;
  readonly lastActivityAt: string;
  /** The folder of its newest event that names one. */
  readonly folder?: string;
}

export interface SessionDigest {
  readonly session: string;
  /** The beginning of what was asked first. */
  readonly firstPrompt?: string;
  readonly observations: number;
  readonly summaries: number;
}

export interface TouchedFile {
  readonly path: string;
  /** Observations in which it was read, and in which it was changed. */
  readonly reads: number;
  readonly changes: number;
}

/** The first page of each list costs the same however large the store is. */
export interface OverviewStore {
  chronicle(request?: PageRequest & ChronicleFilter): Promise<Page<ChronicleRow>>;
  /** Newest first. Days are those of UTC, or of a place so many minutes east of it. */
  chronicleDays(filter?: ChronicleFilter, eastMinutes?: number): Promise<ChronicleDay[]>;
  /** Last active first. */
  projectDigests(): Promise<ProjectDigest[]>;
  /** In the order of the ids; sessions that are not there are left out. */
  sessionDigests(sessions: readonly string[]): Promise<SessionDigest[]>;
  /** Of a session's observations; those that were changed most come first. */
  touchedFiles(session: string): Promise<TouchedFile[]>;
  /** How events of a session arrived. */
  lanesOf(session: string): Promise<string[]>;
}
