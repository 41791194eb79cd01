// The bodies that the worker sends to the viewer: types alone, shared by both sides.

import type { Setting, SettingOrigin } from "../config/index.ts";
import type { Belongings } from "../forget/index.ts";
import type { WorkerState } from "../home/index.ts";
import type { LiveCost, Savings, SessionCost, UsageSummary, WindowGauge } from "../inspector/index.ts";
import type { HookTimes } from "../intake/index.ts";
import type { ObservationType } from "../lib/index.ts";
import type { LintFinding, RemovedMemory } from "../memdir/index.ts";
import type { EvidencedStatement } from "../snapshot/index.ts";
import type {
  ChronicleDay,
  ChronicleRow,
  ImportReport,
  Observation,
  Page,
  ProjectDigest,
  QueueStats,
  Session,
  StoredMessage,
  StoreStats,
  Summary,
  TouchedFile,
  UserPrompt,
} from "../store/index.ts";

export type {
  CallDetail,
  CallStep,
  CompactionPreview,
  EditStep,
  LiveCost,
  RecallPage,
  ReplayScope,
  ReplayState,
  RequestStep,
  Savings,
  SessionCost,
  SessionTrace,
  TraceStep,
  TurnFigures,
  Undoing,
  UsagePeriod,
  UsageSummary,
  WindowComparison,
  WindowEvent,
  WindowEventDetail,
  WindowGauge,
  WindowPart,
  WindowPoint,
  WindowText,
  WindowView,
} from "../inspector/index.ts";
export { windowParts } from "../inspector/model.ts";
export type { Hit, SearchAnswer } from "../search/index.ts";

/** Every refusal and failure has this body. */
export interface Problem {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string };
}

/** `POST /api/sign-in { code }`: the cookie; 401 for a code that is unknown, used up or too old. */
export interface SignedIn {
  readonly ok: true;
}

/** `GET /api/me`: who is asking, and what a page needs before its first request. */
export interface Me {
  readonly version: string;
  /** `en` or `zh`: the language that settings ask for. */
  readonly locale: "en" | "zh";
  readonly paused: boolean;
  readonly projects: readonly ProjectCard[];
}

/** `project` is the id that every filter takes, `folder` where it is, as far as is known. */
export interface ProjectCard extends ProjectDigest {
  /** What people call it: the folder's last name, with the one above it where others have the same. */
  readonly name: string;
  readonly isExcluded: boolean;
}

/** `GET /api/sessions`: newest activity first. */
export interface SessionCard extends Session {
  /** Its first prompt in one line, or what the agent called it. */
  readonly title: string;
  readonly observations: number;
  readonly summaries: number;
  /** What its transcript reports; absent where that was not read. */
  readonly spent?: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly compactions: number;
    readonly dollars?: number;
  };
}

/** `GET /api/home?offset=`: days are those of a place `offset` minutes east of UTC. */
export interface HomeFacts {
  /** Active in the last half hour, last active first. */
  readonly running: readonly RunningSession[];
  readonly recent: readonly SessionCard[];
  readonly usage: UsageSummary;
  readonly decisions: readonly Decision[];
  readonly quarantined: readonly WaitingMemories[];
  /** What a new user has done already. */
  readonly steps: { readonly captured: boolean; readonly remembered: boolean };
}

export interface RunningSession {
  readonly card: SessionCard;
  readonly lanes: readonly string[];
  /** Absent before the first answer. */
  readonly window?: WindowGauge;
}

export interface Decision {
  readonly ref: string;
  readonly title: string;
  readonly because?: string;
  readonly facts: readonly string[];
  /** How many captured events it rests on. */
  readonly evidence: number;
  readonly at: string;
  readonly project: string;
  readonly session: string;
  readonly promptNumber: number;
}

/** Memories of a project that wait for a person. */
export interface WaitingMemories {
  readonly project: string;
  readonly count: number;
}

/**
 * `GET /api/timeline`: rows of all kinds, newest first, flat; the page groups them by day, session and turn.
 * Filters: `project`, `session`, `type`, `file`, `concept`, `from`, `to`, `kinds` (comma-separated), `cursor`, `limit`, `order`.
 */
export interface TimelineRow {
  /** `#12`, `S12`, `P12`: what `/api/items` takes. */
  readonly ref: string;
  readonly kind: "observation" | "summary" | "prompt";
  readonly at: string;
  readonly project: string;
  readonly session: string;
  readonly promptNumber: number;
  /** One line: an observation's title, what a summary completed, the beginning of a prompt. */
  readonly title: string;
  readonly subtitle?: string;
  readonly type?: ObservationType;
  readonly files?: readonly string[];
  readonly tokens: number;
}

/** The rows, and the titles of the sessions that they belong to, by id. */
export interface TimelinePage extends Page<TimelineRow> {
  readonly sessions: Readonly<Record<string, string>>;
}

/**
 * `GET /api/days`: an array of how much there is on each day that passes the same filters, newest first, all days.
 * Days are those of UTC, or of `offset`, which is minutes east of it.
 */
export type Day = ChronicleDay;

/** `GET /api/items?refs=#12,S3`: an array of the rows themselves, in the order of the refs; what is not there is left out. */
export type Item = { readonly ref: string } & (
  | ChronicleRow
  | {
      readonly kind: "message";
      readonly row: Pick<StoredMessage, "session" | "role" | "text" | "at" | "project">;
    }
);

/** `GET /api/session?id=ID`. */
export interface SessionDetail {
  readonly session: SessionCard;
  readonly projectName: string;
  /** How events of it arrived, such as `hooks` or `mods`. */
  readonly lanes: readonly string[];
  readonly prompts: readonly UserPrompt[];
  readonly summaries: readonly Summary[];
  /** The first page; `/api/timeline?session=` has the rest. */
  readonly observations: Page<Observation>;
  readonly files: readonly TouchedFile[];
  readonly snapshots: readonly {
    readonly id: string;
    readonly at: string;
    /** What was compacted then; `/api/recall` takes them. */
    readonly handles: readonly string[];
    /** Absent once the file was cleaned up; its bytes are in the vault. */
    readonly bytes?: number;
    /** What it states, each with the rows of the transcript that say so; none once the file was cleaned up. */
    readonly statements: readonly EvidencedStatement[];
  }[];
  readonly archives: readonly { readonly name: string; readonly at: string; readonly bytes: number }[];
  /** `summary.md`, Markdown. */
  readonly notes?: string;
  /** What its transcript reports; absent when the transcript is gone. */
  readonly cost?: SessionCost;
  /** What the live window cost and would have cost; absent where no request was edited. */
  readonly live?: LiveCost;
}

/** `GET /api/stats`. */
export interface Stats {
  readonly store: StoreStats;
  readonly worker: WorkerStatus;
  readonly savings: Savings;
}

/** What the worker says of itself, as far as a page shows it. */
interface WorkerStatus extends Omit<WorkerState, "socket"> {
  readonly node: string;
  readonly rss: number;
  readonly lastEventAt: string | null;
  readonly hooks: HookTimes | null;
  readonly problem: string | null;
  readonly paused: boolean;
  readonly streams: number;
  readonly queue: QueueStats;
}

/** `POST /api/forget { session? project? from? to? carryOut }`. */
export interface Forgetting {
  readonly found: Kept;
  /** Looked for again; absent for a preview. */
  readonly left?: Kept;
}

/** Everything that is kept about a scope. */
export type Kept = Belongings;

/** `POST /api/provider-test`: one small request to the model that settings name. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly provider: string;
  readonly model?: string;
  readonly milliseconds?: number;
  readonly message: string;
  readonly fix?: string;
}

/** `GET /api/settings`. `POST` it a setting's key and value; null takes it out of the file. */
export interface SettingsView {
  /** The user's own file, which a change goes to. */
  readonly file: string;
  readonly settings: readonly SettingOrigin[];
  readonly known: readonly Setting[];
}

/** `POST /api/pause { paused }`. */
export interface Pausing {
  readonly paused: boolean;
}

/** `GET /api/export?project=&session=&from=&to=` is a file of lines; `POST /api/import` takes such lines as its body. */
export type Imported = ImportReport;

/** `GET /api/memories?project=ID`. */
export interface MemoryList {
  readonly folder: string;
  readonly items: readonly MemoryItem[];
  readonly findings: readonly MemoryFinding[];
  readonly quarantine: readonly QuarantinedMemory[];
  /** Removed, and kept for undo; newest first. */
  readonly retired: readonly RemovedMemory[];
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

export interface MemoryFinding extends Omit<LintFinding, "problem"> {
  readonly message: string;
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

/** `POST /api/memory/retire { project, file, hash }`: `id` is what undo takes. */
export interface MemoryRetired {
  readonly file: string;
  readonly id: string;
}

/** `POST /api/memory/undo { project, id }`: takes back an entry of the history. */
export interface MemoryUndone {
  readonly files: readonly string[];
}

/** `POST /api/quarantine { project, id, verdict }`: `approve` makes it a memory, `reject` deletes it. */
export interface Reviewed {
  /** The file of what was approved. */
  readonly file?: string;
}
