// Every policy: the baseline, plain rules that clear old tool results, and Throughline's own pipeline on a session in memory; and what a policy is.
import { HOUR } from "../lib/index.ts";
import { type History, type HistoryItem, textOf, toolPairs, type Usage } from "../messages/index.ts";
import {
  CLEARED,
  cutOnArrival,
  memorySession,
  observeRecall,
  observeResponse,
  type PipelineSettings,
  prepare,
  type Receipt,
  recallTool,
  type Session,
  seedSettings,
  snipTool,
  thriftySettings,
  unsnipTool,
  withCollapse,
} from "../pipeline/index.ts";
import { estimateText, modelTable } from "../tokens/index.ts";
import type { Ttl } from "./cache.ts";
import { peerPolicies, Replacing } from "./peers.ts";
import type { RecordedSession } from "./recorded.ts";

/** The moment before a request. */
interface PolicyMoment {
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

/** A result that was cut on arrival, and its whole text. */
export interface CutResult {
  readonly toolUseId: string;
  readonly text: string;
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
  /** Results that the last view was the first to show, and showed cut. */
  cuts?(): readonly CutResult[];
  /** The model recalled a cut result as a whole. */
  looked?(toolUseId: string): void;
  /** Tokens of the definitions of tools that the policy adds to a request. */
  readonly ownToolTokens?: number;
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

/** The whole texts of what was cut on arrival with these edits. */
function cutsIn(edits: Receipt["edits"], history: History): CutResult[] {
  const ids = new Set(edits.flatMap((entry) => cutOnArrival(entry)?.toolUseId ?? []));
  if (ids.size === 0) return [];
  return toolPairs(history).flatMap(({ id, result }) =>
    result && ids.has(id) ? [{ toolUseId: id, text: textOf(result.content) }] : [],
  );
}

function managedPolicy(name: string, describe: string, settings: PipelineSettings): Policy {
  return {
    name,
    describe,
    kind: "ours",
    start(recorded, ttl) {
      // Every field is given, so any model of the table can stand in for one that is not in it.
      const known = { like: modelTable[0]?.id ?? "", ...recorded.model, window: recorded.window };
      const session: Session = {
        ...memorySession(recorded.name, {
          settings,
          models: { [recorded.model.id]: known },
        }),
        // A session on disk names its files in previews: they are counted as they would be sent.
        results: { fileOf: (toolUseId) => `tool-results/${toolUseId}.txt`, write: () => undefined },
      };
      session.state.save({ ...session.state.load(), ttl });
      const definitions = JSON.stringify([recallTool, snipTool, unsnipTool]);
      const ownToolTokens = estimateText(definitions, recorded.model.tokenizer);
      let compactions = 0;
      let cuts: readonly CutResult[] = [];
      return {
        cuts: () => cuts,
        looked: (toolUseId) => observeRecall(session, toolUseId),
        ownToolTokens,
        view({ history, now }) {
          const prepared = prepare({
            session,
            model: recorded.model.id,
            now,
            overhead: recorded.fixed,
            messages: history.map(({ message }) => message),
            ids: history.map(({ id }) => id),
            provenance: history,
          });
          compactions += prepared.receipt.edits.filter(({ edit }) => edit.kind === "replace-prefix").length;
          cuts = cutsIn(prepared.receipt.edits, history);
          return prepared.items;
        },
        observe: ({ input, cacheRead, cacheWrite5m, cacheWrite1h }) => {
          const cache_creation = {
            ephemeral_5m_input_tokens: cacheWrite5m,
            ephemeral_1h_input_tokens: cacheWrite1h,
          };
          const usage = {
            input_tokens: input,
            cache_read_input_tokens: cacheRead,
            cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
            cache_creation,
          };
          observeResponse({ session, model: recorded.model.id, usage });
        },
        compactions: () => compactions,
      };
    },
  };
}

const managedPolicies: readonly Policy[] = [
  managedPolicy("seed", "the five levels with the classic constants", seedSettings),
  managedPolicy("thrifty", "the same levels, timed by cost, with handles", thriftySettings),
  managedPolicy(
    "collapse",
    "thrifty with collapse on: early spans go one by one",
    withCollapse(thriftySettings, { enabled: true }),
  ),
];

/** Tools whose results can be had again. */
const clearable = new Set(["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"]);

interface Clearing extends Omit<Policy, "start"> {
  /** So many of the newest results stay. */
  readonly keep: number;
  readonly when: (moment: PolicyMoment, shown: History) => boolean;
}

function clearingPolicy({ keep, when, ...policy }: Clearing): Policy {
  return {
    ...policy,
    start() {
      const replacing = new Replacing();
      return {
        view(moment) {
          const shown = replacing.show(moment.history);
          if (!when(moment, shown)) return shown;
          const results = toolPairs(moment.history).filter((pair) => pair.result && clearable.has(pair.name));
          for (const { id } of results.slice(0, Math.max(0, results.length - keep)))
            replacing.set(id, CLEARED);
          return replacing.show(moment.history);
        },
      };
    },
  };
}

const KEEP_RECENT = 5;
const SERVER_KEEP = 3;
const SERVER_TRIGGER = 100_000;

const plainPolicies: readonly Policy[] = [
  {
    name: baselineName,
    describe: "sends everything; compacts at the threshold",
    kind: "baseline",
    origin: {
      who: "Claude Code",
      source: "thresholds and shape of its compaction, measured on 2.1.325",
      asOf: "2026-11",
      leftOut: "the instructions, skills and listings that it announces again",
    },
    start: () => ({ view: ({ history }) => history }),
  },
  clearingPolicy({
    name: "keep-5",
    describe: "clears all but the 5 newest tool results with every request",
    kind: "rule of thumb",
    keep: KEEP_RECENT,
    when: () => true,
  }),
  clearingPolicy({
    name: "clear-100k",
    describe: "clears all but the 3 newest tool results whenever the prompt passes 100,000 tokens",
    kind: "peer",
    origin: {
      who: "Anthropic's context editing, LangChain's ContextEditing",
      source: "defaults of clear_tool_uses_20250919",
      asOf: "2026-11",
      leftOut: "clearing of tools that are not an agent's usual ones",
    },
    keep: SERVER_KEEP,
    when: (moment, shown) => moment.weigh(shown) > SERVER_TRIGGER,
  }),
  clearingPolicy({
    name: "timer-60m",
    describe: "clears all but the 5 newest tool results after 60 idle minutes",
    kind: "peer",
    origin: {
      who: "Claude Code",
      source: "its timed microcompact, as published descriptions give it",
      asOf: "2026-08",
    },
    keep: KEEP_RECENT,
    when: ({ idle }) => idle !== undefined && idle > HOUR,
  }),
  clearingPolicy({
    name: "cold-only",
    describe: "clears all but the 5 newest tool results when the cache is cold anyway",
    kind: "rule of thumb",
    keep: KEEP_RECENT,
    when: ({ cold, idle }) => cold && idle !== undefined,
  }),
];

/** The baseline first, Throughline's own last. */
export const policies: readonly Policy[] = [...plainPolicies, ...peerPolicies, ...managedPolicies];
