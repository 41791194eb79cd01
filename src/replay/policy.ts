// Rules for what is sent: the interface, and the plain ones that others are measured against.
import { HOUR } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  type Message,
  type ToolPair,
  toolPairs,
  type Usage,
} from "../messages/index.ts";
import type { Ttl } from "./cache.ts";
import type { RecordedSession } from "./recorded.ts";

/** The moment before a request. */
export interface Moment {
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

export interface PolicyRun {
  /** What to send now. Items that stand unchanged keep their ids. */
  view(moment: Moment): History;
  /** What the request that was shown last was billed as. */
  observe?(usage: Usage): void;
  /** How often it compacted. A run without this is compacted by the engine, as the recorded agent did it. */
  compactions?(): number;
}

/** A rule. `start` is called for each session; a run may keep state. */
export interface Policy {
  readonly name: string;
  readonly describe: string;
  start(session: RecordedSession, ttl: Ttl): PolicyRun;
}

const CLEARED = "[Old tool result content cleared]";
/** Tools whose results can be had again. */
const clearable = new Set(["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"]);

/** Remembers which results were cleared and shows them so from then on. */
class Clearing {
  readonly #cleared = new Set<string>();
  readonly #shown = new Map<string, { from: Message; count: number; to: Message }>();

  clearAllBut(keep: number, history: History): void {
    const results = toolPairs(history).filter((pair: ToolPair) => pair.result && clearable.has(pair.name));
    for (const { id } of results.slice(0, Math.max(0, results.length - keep))) this.#cleared.add(id);
  }

  show(history: History): History {
    return history.map((item) => this.#showItem(item));
  }

  #showItem(item: HistoryItem): HistoryItem {
    const { message } = item;
    if (message.role !== "user" || typeof message.content === "string") return item;
    const count = message.content.filter((block) => this.#cleared.has(String(block.tool_use_id))).length;
    if (count === 0) return item;
    const seen = this.#shown.get(item.id);
    if (seen?.from === message && seen.count === count) return { ...item, message: seen.to };
    const content = blocksOf(message).map((block) =>
      block.type === "tool_result" && this.#cleared.has(String(block.tool_use_id))
        ? { ...block, content: CLEARED }
        : block,
    );
    const to = { ...message, content };
    this.#shown.set(item.id, { from: message, count, to });
    return { ...item, message: to };
  }
}

function clearingPolicy(
  name: string,
  describe: string,
  keep: number,
  when: (moment: Moment, shown: History) => boolean,
): Policy {
  return {
    name,
    describe,
    start() {
      const clearing = new Clearing();
      return {
        view(moment) {
          const shown = clearing.show(moment.history);
          if (!when(moment, shown)) return shown;
          clearing.clearAllBut(keep, moment.history);
          return clearing.show(moment.history);
        },
      };
    },
  };
}

const KEEP_RECENT = 5;
const SERVER_KEEP = 3;
const SERVER_TRIGGER = 100_000;

/** The name of the policy that everything else is compared with. */
export const baselineName = "append-only";

export const plainPolicies: readonly Policy[] = [
  {
    name: baselineName,
    describe: "sends everything; compacts at the threshold",
    start: () => ({ view: ({ history }) => history }),
  },
  clearingPolicy(
    "keep-5",
    "clears all but the 5 newest tool results with every request",
    KEEP_RECENT,
    () => true,
  ),
  clearingPolicy(
    "clear-100k",
    "clears all but the 3 newest tool results whenever the prompt passes 100,000 tokens",
    SERVER_KEEP,
    (moment, shown) => moment.weigh(shown) > SERVER_TRIGGER,
  ),
  clearingPolicy(
    "timer-60m",
    "clears all but the 5 newest tool results after 60 idle minutes",
    KEEP_RECENT,
    ({ idle }) => idle !== undefined && idle > HOUR,
  ),
  clearingPolicy(
    "cold-only",
    "clears all but the 5 newest tool results when the cache is cold anyway",
    KEEP_RECENT,
    ({ cold, idle }) => cold && idle !== undefined,
  ),
];
