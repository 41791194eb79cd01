// Policies of replay: what one is, where it comes from, and what it gets before every request.
import type { History, HistoryItem, Usage } from "../messages/index.ts";
import type { Ttl } from "./cache.ts";
import type { RecordedSession } from "./recorded.ts";

/** The moment before a request. */
export interface PolicyMoment {
  /** Everything since the last compaction, oldest first. */
  readonly history: History;
  readonly now: number;
  /** Time since the last request was sent; undefined for the first. */
  readonly idle: number | undefined;
  /** Nothing of the last request is in the prompt cache any more. */
  readonly cold: boolean;
  /** Tokens of the request if these items were sent. */
  weigh(items: History): number;
}

/** How a rule has a model write a summary: when, and what the window holds from then on. */
export interface Compaction {
  /** Whether what would be sent is too much; `tokens` is its weight. */
  isDue(view: History, tokens: number): boolean;
  /** The new history. `files` are those read last, for who puts them back. */
  after(history: History, summary: HistoryItem, files: History): History;
  /** Calls of the model that one summary takes; 1 unless said otherwise. */
  readonly calls?: number;
}

export interface PolicyRun {
  /** What to send now. Items that stand unchanged keep their ids. */
  view(moment: PolicyMoment): History;
  /** What the request that was shown last was billed as. */
  observe?(usage: Usage): void;
  /** How often it compacted by itself, without a model: the engine then leaves that to it. */
  compactions?(): number;
  /** How it compacts with a model; as the recorded agent did, unless said otherwise. */
  readonly compaction?: Compaction;
}

/** Whose rule it is. */
type PolicyKind = "baseline" | "ours" | "peer" | "rule of thumb";

/** Where the rule of another program was read, and what of that program is not in it. */
interface PolicyOrigin {
  readonly who: string;
  readonly source: string;
  /** Day or month of the version that was read. */
  readonly asOf: string;
  readonly leftOut?: string;
}

/** A rule. `start` is called for each session; a run may keep state. */
export interface Policy {
  readonly name: string;
  readonly describe: string;
  readonly kind: PolicyKind;
  readonly origin?: PolicyOrigin;
  start(session: RecordedSession, ttl: Ttl): PolicyRun;
}

/** The name of the policy that everything else is compared with. */
export const baselineName = "append-only";
