// The model table: windows, prices, cache rules, tokenizer and thinking regime, as data with a date.

/** Month the figures were taken. Prices and limits change; `models.<id>` in the configuration overrides them. */
export const modelTableDate = "2026-11";

/** Same text, two counts: the new family cuts it into about a third more tokens. */
export type TokenizerFamily = "old" | "new";

/**
 * What happens to earlier thinking. `legacy`: dropped by the API at each new user turn.
 * `keep-all-thinking`: kept and billed. `append-only`: kept, and bound to everything before it, so
 * that nothing before it may change.
 */
export type ThinkingRegime = "legacy" | "keep-all-thinking" | "append-only";

/** US dollars per million tokens, valid for prompts larger than `above`. */
export interface PriceStep {
  readonly above: number;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

export interface ModelInfo {
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  /** By ascending `above`; the first is 0. */
  readonly prices: readonly PriceStep[];
  /** Prompts below this many tokens are silently not cached. */
  readonly minCacheable: number;
  readonly tokenizer: TokenizerFamily;
  readonly thinking: ThinkingRegime;
  /** May `role: "system"` stand in the middle of the messages? */
  readonly midConversationSystem: boolean;
  /** May the last message be the assistant's, to be continued? */
  readonly prefill: boolean;
  /** Does the API compact a conversation when it is asked to, and sign the result? */
  readonly compactsOnDemand: boolean;
  /** Fields that were not published and are taken from the nearest sibling. */
  readonly assumed?: readonly string[];
}

const K = 1_000;
const M = 1_000_000;

/** Writes cost 1.25 and 2 times the input price on every model; reads differ. */
function step(input: number, output: number, cacheRead: number, above = 0): PriceStep {
  return { above, input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

const preserved = {
  window: M,
  maxOutput: 128 * K,
  minCacheable: 512,
  tokenizer: "new",
  thinking: "append-only",
  midConversationSystem: true,
  prefill: false,
  compactsOnDemand: true,
} as const;

const fifth = { ...preserved, thinking: "keep-all-thinking", compactsOnDemand: false } as const;

const fourth = {
  window: 200 * K,
  maxOutput: 64 * K,
  minCacheable: 1_024,
  tokenizer: "old",
  thinking: "legacy",
  midConversationSystem: false,
  prefill: true,
  compactsOnDemand: false,
} as const;

const largeFourth = {
  ...fourth,
  window: M,
  maxOutput: 128 * K,
  thinking: "keep-all-thinking",
  prefill: false,
} as const;

const opus = [step(5, 25, 0.5)];
const sonnet = [step(3, 15, 0.3)];
const fable = [step(10, 50, 1)];
const fable51 = [step(10, 50, 0.25)];

export const modelTable: readonly ModelInfo[] = [
  { ...preserved, id: "claude-fable-5-2", prices: fable51, assumed: ["prices", "minCacheable"] },
  { ...preserved, id: "claude-mythos-5-2", prices: fable51, assumed: ["prices", "minCacheable"] },
  { ...preserved, id: "claude-fable-5-1", prices: fable51, assumed: ["minCacheable"] },
  { ...preserved, id: "claude-mythos-5-1", prices: fable51, assumed: ["minCacheable"] },
  { ...preserved, id: "claude-opus-5-5", prices: [step(4, 20, 0.2)], assumed: ["minCacheable"] },
  { ...preserved, id: "claude-sonnet-5-5", prices: [step(2, 10, 0.2)] },
  {
    ...preserved,
    id: "claude-haiku-5-5",
    minCacheable: 4_096,
    prices: [step(0.1, 0.5, 0.01), step(0.5, 2.5, 0.05, 100 * K)],
    assumed: ["minCacheable"],
  },
  { ...fifth, id: "claude-fable-5", prices: fable },
  { ...fifth, id: "claude-mythos-5", prices: fable },
  { ...fifth, id: "claude-opus-5", prices: opus },
  { ...fifth, id: "claude-sonnet-5", prices: [step(2, 10, 0.2)], minCacheable: 1_024 },
  { ...fifth, id: "claude-opus-4-8", prices: opus, minCacheable: 1_024 },
  { ...fifth, id: "claude-opus-4-7", prices: opus, minCacheable: 2_048, midConversationSystem: false },
  { ...largeFourth, id: "claude-opus-4-6", prices: opus, minCacheable: 4_096 },
  { ...largeFourth, id: "claude-sonnet-4-6", prices: sonnet, maxOutput: 64 * K },
  { ...fourth, id: "claude-opus-4-5", prices: opus, minCacheable: 4_096, thinking: "keep-all-thinking" },
  { ...fourth, id: "claude-sonnet-4-5", prices: sonnet },
  { ...fourth, id: "claude-haiku-4-5", prices: [step(1, 5, 0.1)], minCacheable: 4_096 },
  { ...fourth, id: "claude-opus-4-1", prices: [step(15, 75, 1.5)], maxOutput: 32 * K },
  { ...fourth, id: "claude-opus-4", prices: [step(15, 75, 1.5)], maxOutput: 32 * K },
  { ...fourth, id: "claude-sonnet-4", prices: sonnet },
  { ...fourth, id: "claude-3-7-sonnet", prices: sonnet },
  { ...fourth, id: "claude-3-5-haiku", prices: [step(0.8, 4, 0.08)], maxOutput: 8_192, minCacheable: 2_048 },
];

/** The short names agents accept, each for the newest model of its line. */
export const modelAliases: Readonly<Record<string, string>> = {
  fable: "claude-fable-5-2",
  mythos: "claude-mythos-5-2",
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
};
