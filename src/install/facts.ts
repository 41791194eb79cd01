// What is known of an installation on this machine: values only, so that what is wrong can be told without a disk.
import type { Home, RuntimeState, WorkerState } from "../home/index.ts";
import type { Scope } from "./receipt.ts";

/** One of our entries in a settings file. */
export interface EntryFacts {
  readonly event: string;
  readonly node: string;
  readonly nodeThere: boolean;
  readonly bundle: string;
  readonly bundleThere: boolean;
}

export interface SettingsFacts {
  readonly scope: Scope;
  readonly file: string;
  /** What keeps the file from being used, with its line. */
  readonly problem?: { readonly line: number; readonly what: string };
  /** The file cannot be read by Claude Code, though it can be by us. */
  readonly unread: boolean;
  readonly disablesHooks: boolean;
  readonly entries: readonly EntryFacts[];
  /** Events that should have an entry and have none, if the file has any of ours. */
  readonly missing: readonly string[];
  /** The home folder that the file gives to hooks. */
  readonly givesHome?: string;
  /** Our plugin is switched on here. */
  readonly plugin: boolean;
}

export interface PluginFacts {
  readonly version: string;
  readonly folder: string;
  /** Its bundles are there. */
  readonly complete: boolean;
}

/** `absent`: nothing listens. `foreign`: a process that is no worker. */
export type WorkerReply = "absent" | "foreign" | { readonly version: string; readonly pid: number };

/** A check that threw: what was to be looked at, and why it could not be. */
export interface FailedCheck {
  readonly check: string;
  readonly problem: string;
  readonly fix?: string;
}

/** What a finding says when the rest depends on the moment. */
export interface Complaint {
  readonly what: string;
  readonly fix: string;
}

export interface Facts {
  readonly failedChecks: readonly FailedCheck[];
  /** What is wrong with Throughline's own configuration. */
  readonly config?: Complaint;
  /** The folder of work, if nothing is captured in it. */
  readonly excludedFolder?: string;
  /** Events that hooks could not write, and those that were read from transcripts instead. */
  readonly losses?: {
    readonly lost: number;
    readonly refilled: number;
    readonly pending: number;
    readonly lastAt?: string;
  };
  /** Work that was given up after its last attempt. */
  readonly jobs?: { readonly dead: number; readonly lastError?: string };
  /** What keeps the model provider of the settings from answering. */
  readonly provider?: Complaint;
  /** The last worker never got to its work. */
  readonly startFailure?: { readonly at: string; readonly problem: string; readonly fix?: string };
  /** Of the program that looks. */
  readonly version: string;
  readonly home: Home;
  /** What THROUGHLINE_HOME says here. */
  readonly homeVariable?: string;
  readonly settings: readonly SettingsFacts[];
  /** The administrator's settings file, if it lets no hooks run but its own. */
  readonly barredBy?: string;
  readonly plugin?: PluginFacts;
  /** The mod inside Claude Code: the lane that is set, the folder it is loaded from, and what it complained about. */
  readonly mod?: {
    readonly lane: "auto" | "hooks" | "mods";
    readonly folder?: string;
    readonly there?: boolean;
    readonly trouble?: string;
  };
  /** The file of the project in this folder, where something of it does not count. */
  readonly project?: {
    readonly file: string;
    readonly trust: string;
    /** Keys that count once the file is trusted, and those that no project may set. */
    readonly untrusted: readonly string[];
    readonly notProject: readonly string[];
    readonly problems: readonly string[];
  };
  readonly receipt: "none" | "readable" | "unreadable";
  readonly runtime: RuntimeState | "none" | "unreadable";
  /** The program that runtime names is there. */
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
  /** Bytes free where data is kept; undefined where the system does not say. */
  readonly freeBytes?: number;
  readonly database: {
    readonly file: string;
    readonly bytes: number;
    readonly problem?: "damaged" | "newer" | "busy" | Complaint;
  };
  /** The newest database that was damaged and set aside, with what is known of its rows. */
  readonly damaged?: {
    readonly folder: string;
    readonly at: string;
    readonly isDone: boolean;
    /** Undefined where it is not known how many there were. */
    readonly missing?: number;
    readonly problem?: string;
  };
  /** Files and folders of ours that others may read. */
  readonly open: readonly string[];
  /** Lines of the last day in the hook log, and the newest. */
  readonly troubles: { readonly count: number; readonly last?: string };
}
