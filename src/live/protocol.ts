// What carriers and the live engine say to each other: rows by their chain, edits by message and block.
import type { EditsChange } from "./edits.ts";

/**
 * What a request is for. Only `main` and `subagent` are planned, each with a window of its own. `branch` is the
 * conversation with other words behind it (a summary, a question on the side): it goes with the edits in force. `count`
 * asks for the size of a text, `side` has nothing to do with a conversation: both go as they came.
 */
export type RequestKind = "main" | "subagent" | "branch" | "count" | "side";

/** The carriers that there are. */
export type CarrierName = "mod" | "proxy" | "plugin";

/** A model that is not in the table, as the agent that uses it describes it. */
export interface DescribedModel {
  readonly window: number;
  readonly maxOutput?: number;
  /** US dollars per million tokens; 0 or absent where they are not known. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  /** Absent where the provider keeps prefixes by itself and asks nothing for it. */
  readonly cacheWrite?: number;
}

/** What every question of a carrier names. */
interface CarrierQuestion {
  readonly v: 1;
  readonly carrier: CarrierName;
  readonly session: string;
  /** The subagent whose window this is. */
  readonly agent?: string;
  /** The folder that the agent works in. */
  readonly project: string;
  readonly model: string;
  /** The version of the edits with which the last request went out. */
  readonly version: number;
}

/** `POST /live/plan`: a request is about to be sent. */
export interface PlanQuestion extends CarrierQuestion {
  readonly transcript?: string;
  /** The program that sends the request, with its version. */
  readonly client?: string;
  readonly betas?: readonly string[];
  /** The window that the client keeps to, in tokens, where it is not the model's. */
  readonly window?: number;
  readonly described?: DescribedModel;
  /**
   * JSON texts of the body's `system`, `tools` and other fields that decide (`thinking`, `context_management`,
   * `compaction`, `output_config`). Left out where the worker was sent the same before; `fixedHash` names them.
   */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly fixedHash: string;
  /** Rows that the worker has already: so many, up to this chain. */
  readonly base: { readonly count: number; readonly chain: string };
  /** The rows behind them, as `rowText` gives them. */
  readonly rows: readonly string[];
  /** More rows follow with the next question: these are only to be kept. */
  readonly isPartial?: boolean;
  /** Milliseconds that the carrier waits for new edits. Later than that nothing is recorded. */
  readonly deadline: number;
  /** The same request was refused by the API: as too long, with these numbers where it named them, or for its thinking. */
  readonly refused?: {
    readonly attempt: number;
    readonly tokens?: number;
    readonly limit?: number;
    /** Thinking was refused as bound to another conversation. */
    readonly isThinking?: boolean;
    /** Why it was refused is not known: the carrier cannot read it. */
    readonly isUnread?: boolean;
    /** Characters of the request that was refused. */
    readonly length?: number;
  };
  /** The words that were asked for with `summary-wanted`, or that there are none. */
  readonly summary?: {
    readonly id: string;
    readonly text?: string;
    /** How many rows the model had read, where these are not all of them. */
    readonly rows?: number;
  };
}

/** What goes with an answer. */
export interface AnswerNotes {
  /** For the person: what was saved, or why planning is off. */
  readonly line?: string;
  /** Milliseconds to wait for the next answer: more where going without one would cost much, as in a full window. */
  readonly patience?: number;
  /** The window will soon be compacted: a carrier that can only ask the model between requests has this answered now. */
  readonly summaryAhead?: string;
}

/** The answer to `plan`. */
export type PlanAnswer =
  /** The change that brings the carrier's edits up to date; apply, then send. `line` is for the person. */
  | ({ readonly kind: "edits"; readonly change: EditsChange } & AnswerNotes)
  /** Nothing new: the edits in force stay. */
  | ({ readonly kind: "unchanged"; readonly version: number } & AnswerNotes)
  /** The worker has only so many rows, or does not know `fixedHash`: ask again with the rest. */
  | { readonly kind: "rows-wanted"; readonly count: number; readonly chain: string; readonly fixed: boolean }
  /**
   * The window has to be compacted and the session's own model is to write the summary: send the conversation with this
   * text behind it, then ask again with `summary`. `messages` is the whole conversation to send, as JSON of each message.
   */
  | {
      readonly kind: "summary-wanted";
      readonly id: string;
      readonly prompt: string;
      readonly messages: readonly string[];
      readonly maxTokens: number;
    };

/** `POST /live/observe`: what the API answered. */
export interface ObserveQuestion extends CarrierQuestion {
  /** The response's `usage`, as it came. */
  readonly usage?: unknown;
  /** The response's `context_management`. */
  readonly contextManagement?: unknown;
  /** The response's `diagnostics.cache_miss_reason`. */
  readonly cacheMiss?: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const readers: Readonly<Record<string, (value: Readonly<Record<string, unknown>>) => boolean>> = {
  edits: ({ change }) => isObject(change),
  unchanged: ({ version }) => Number.isSafeInteger(version),
  "rows-wanted": ({ count, chain, fixed }) =>
    Number.isSafeInteger(count) && typeof chain === "string" && typeof fixed === "boolean",
  "summary-wanted": ({ id, prompt, messages }) =>
    typeof id === "string" && typeof prompt === "string" && Array.isArray(messages),
};

/** Undefined for anything that is no answer to `plan`. The change of `edits` is read with `readChange`. */
export function readAnswer(value: unknown): PlanAnswer | undefined {
  if (!isObject(value) || typeof value.kind !== "string") return undefined;
  const isComplete = Object.hasOwn(readers, value.kind) && readers[value.kind]?.(value);
  return isComplete === true ? (value as unknown as PlanAnswer) : undefined;
}

/** The file, in the folder `live` of the state folder, that holds the edits of a window; carriers read it by themselves. */
export function recordName(session: string, agent?: string): string {
  const plain = (name: string) => name.replace(/[^A-Za-z0-9-]/g, "_").slice(0, 100);
  return `${plain(session)}${agent === undefined ? "" : `.${plain(agent)}`}.jsonl`;
}
