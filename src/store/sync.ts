// The contract of synchronisation: changes of a store in their order, and how another store takes them.
import type { RedactedEvent } from "./events.ts";
import type { NewObservation, NewSummary } from "./model.ts";

/** The hashes that forgetting left: no name of what was forgotten travels. */
export interface ForgottenMark {
  readonly sessionHash?: string;
  readonly projectHash?: string;
  /** Milliseconds since the epoch; `from` is in, `to` is out. */
  readonly from?: number;
  readonly to: number;
}

/** Kinds of rows that are changed and deleted one by one. */
export const changeableKinds = ["observation", "summary"] as const;

export type ChangeableKind = (typeof changeableKinds)[number];

/** One change. A row that was changed comes again, as it is now. */
export type Change =
  | { readonly kind: "event"; readonly row: RedactedEvent }
  | { readonly kind: "observation"; readonly row: NewObservation & { readonly uid: string } }
  | { readonly kind: "summary"; readonly row: NewSummary & { readonly uid: string } }
  /** The row is deleted, or its readers may not see it any more. */
  | { readonly kind: "withdrawn"; readonly of: ChangeableKind; readonly uid: string }
  | { readonly kind: "forgotten"; readonly mark: ForgottenMark };

/** Where a change came about: on which machine, and of whom unless it is the store's own person. */
interface ChangeOrigin {
  readonly machine: string;
  readonly person?: string;
}

export type ChangeFrom = Change & { readonly origin?: ChangeOrigin };

export interface ChangePage {
  readonly changes: readonly ChangeFrom[];
  /** Where the next page begins. */
  readonly cursor: number;
  readonly more: boolean;
}

export interface ChangeRequest {
  /** 0 is the start. */
  readonly cursor: number;
  readonly limit: number;
  /** Leaves out changes that were received from this machine; `any` those that were received at all. */
  readonly except: { readonly machine: string } | "any";
}

export interface ReceivedChanges {
  readonly changes: readonly ChangeFrom[];
  /** The machine that sent them; a change may name another one that it came from. */
  readonly machine: string;
  /** Rows that changed here after this cursor of the feed were not sent yet: they stay as they are. */
  readonly unsentAfter?: number;
}

export interface Received {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** A project of one machine, and what tells that it is the same repository as a project of another. */
export interface ProjectIdentity {
  readonly project: string;
  /** A name made of the address of the repository's origin. */
  readonly identity: string;
}

export interface SyncStore {
  /** Oldest first. Of a row that changed several times only the last change is there. */
  changes(request: ChangeRequest): Promise<ChangePage>;
  /**
   * Takes changes in their order, all or none. Each may come any number of times. No work is queued for them: it was done where
   * they came about. A row that was withdrawn or forgotten here does not come back.
   */
  receive(received: ReceivedChanges): Promise<Received>;
  /** Deletes the rows of a project so that they may be received again under another name; gives whether there were any. */
  releaseProject(project: string): Promise<boolean>;
  keepProjectIdentities(identities: readonly ProjectIdentity[]): Promise<void>;
  /** All that are known, or those of these projects. */
  projectIdentities(projects?: readonly string[]): Promise<ProjectIdentity[]>;
}
