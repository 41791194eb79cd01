// The facts about an installation on this machine, as plain values: findings can be derived from them without a disk.
import type { Home, RuntimeState, WorkerState } from "../home/index.ts";
import type { Scope } from "./receipt.ts";

/** One of our entries in a settings file. */
interface EntryFacts {
  readonly event: string;
  readonly node: string;
  readonly nodeThere: boolean;
  readonly bundle: string;
  readonly bundleThere: boolean;
}

export interface SettingsFacts {
  readonly scope: Scope;
  readonly file: string;
  /** Why the file cannot be used, with the line. */
  readonly problem?: { readonly line: number; readonly what: string };
  /** Claude Code cannot read the file, but we can. */
  readonly unread: boolean;
  readonly disablesHooks: boolean;
  readonly entries: readonly EntryFacts[];
  /** Events without an entry of ours, if the file has any of ours. */
  readonly missing: readonly string[];
  /** The value of THROUGHLINE_HOME that the file sets for hooks. */
  readonly givesHome?: string;
  /** Our plugin is enabled here. */
  readonly plugin: boolean;
}

export interface PluginFacts {
  readonly version: string;
  readonly folder: string;
  /** Its bundles exist. */
  readonly complete: boolean;
}

/** `absent`: nothing listens. `foreign`: a process that is not a worker. */
export type WorkerReply = "absent" | "foreign" | { readonly version: string; readonly pid: number };

/** A check that threw: its subject and the reason. */
export interface FailedCheck {
  readonly check: string;
  readonly problem: string;
  readonly fix?: string;
}

/** A finding whose text depends on the situation. */
export interface Complaint {
  readonly what: string;
  readonly fix: string;
}

export interface Facts {
  readonly failedChecks: readonly FailedCheck[];
  /** What is wrong with Throughline's own configuration. */
  readonly config?: Complaint;
  /** The working folder, if it is excluded from capture. */
  readonly excludedFolder?: string;
  /** Events that hooks could not write, and those that were recovered from transcripts. */
  readonly losses?: {
    readonly lost: number;
    readonly refilled: number;
    readonly pending: number;
    readonly lastAt?: string;
  };
  /** Jobs that failed at their last attempt. */
  readonly jobs?: { readonly dead: number; readonly lastError?: string };
  /** Why the configured model provider does not answer. */
  readonly provider?: Complaint;
  /** The last worker failed at its start. */
  readonly startFailure?: { readonly at: string; readonly problem: string; readonly fix?: string };
  /** The version of this program. */
  readonly version: string;
  readonly home: Home;
  /** THROUGHLINE_HOME of this process. */
  readonly homeVariable?: string;
  readonly settings: readonly SettingsFacts[];
  /** The administrator's settings file, if it allows only its own hooks. */
  readonly barredBy?: string;
  readonly plugin?: PluginFacts;
  /** The mod inside Claude Code: the configured lane, the folder it is loaded from, and its last failure. */
  readonly mod?: {
    readonly lane: "auto" | "hooks" | "mods";
    readonly folder?: string;
    readonly there?: boolean;
    readonly trouble?: string;
  };
  /** The settings file of the project in this folder, if some of its values are ignored. */
  readonly project?: {
    readonly file: string;
    readonly trust: string;
    /** Keys that take effect once the file is trusted, and those that no project may set. */
    readonly untrusted: readonly string[];
    readonly notProject: readonly string[];
    readonly problems: readonly string[];
  };
  readonly receipt: "none" | "readable" | "unreadable";
  readonly runtime: RuntimeState | "none" | "unreadable";
  /** The program that runtime.json names exists. */
  readonly workerProgramThere: boolean;
  readonly worker: WorkerReply;
  readonly socket: string;
  readonly socketLeft: boolean;
  readonly workerState?: WorkerState;
  readonly wantedPort: number;
  readonly paused: boolean;
  readonly spool: {
    readonly writable: boolean;
    readonly waiting: number;
    readonly oldestMinutes: number;
    readonly bad: number;
  };
  /** Free bytes on the disk of the data folder; undefined if the system does not tell. */
  readonly freeBytes?: number;
  readonly database: {
    readonly file: string;
    readonly bytes: number;
    readonly problem?: "damaged" | "newer" | "busy" | Complaint;
  };
  /** The newest damaged database that was set aside. */
  readonly damaged?: {
    readonly folder: string;
    readonly at: string;
    readonly isDone: boolean;
    /** Rows; undefined if their number is not known. */
    readonly missing?: number;
    readonly problem?: string;
  };
  /** Our files and folders that other users can read. */
  readonly open: readonly string[];
  /** Lines of the last day in the hook log, and the newest. */
  readonly troubles: { readonly count: number; readonly last?: string };
}
