// The settings of the levels: the constants of the `seed` policy, and what `thrifty` changes to save cost.
import type { EconomicsSettings } from "../economics/index.ts";
import { MINUTE, matchesGlob } from "../lib/index.ts";

/** `seed`: the constants of the specification. `thrifty`: the same edits, timed by their cost. */
export type PolicyName = "seed" | "thrifty";

const clearableTools: readonly string[] = [
  "Read",
  "Bash",
  "Grep",
  "Glob",
  "WebSearch",
  "WebFetch",
  "Edit",
  "Write",
];
const ownTools: readonly string[] = ["recall", "snip", "unsnip", "mcp__*throughline*__*"];

const budget = {
  /** Characters of a result from which on it is kept out of the window and previewed. */
  resultLimit: 50_000,
  /** Other limits for tools by name. */
  toolLimits: {} as Readonly<Record<string, number>>,
  /** The limit for the text of a failed call. */
  errorLimit: 50_000,
  /**
   * Requests that a result is expected to stay in the window. Above the limit it is kept out only if that saves more than
   * the looks at it cost; 0: the limit alone decides.
   */
  stays: 0,
  /** Characters of all results of one message together. */
  messageLimit: 200_000,
  /** Characters a preview may take. */
  preview: 2_048,
  /** `head`: the first bytes, in the fixed template. `typed`: what matters in this kind of result, with its handle. */
  previewStyle: "head" as "head" | "typed",
  /** Show a file that is read again as a difference to the copy in view. */
  rereads: false,
  /** Tools whose results are never touched; `*` stands for any text. */
  exempt: ownTools,
};

const microcompact = {
  /** Tools whose old results may be cleared; `*` stands for any text. */
  tools: clearableTools,
  exempt: ownTools,
  /** Newest results that stay. */
  keepRecent: 5,
  /** Results that follow a recalled text before it leaves again while that is cheap; 0: it stays like any other. */
  keepRecalled: 0,
  /** Idle milliseconds after which old results are cleared, or `ttl`: as soon as the cache is cold. */
  idle: (60 * MINUTE) as number | "ttl",
  /** Results shorter than this are not worth a placeholder. */
  smallest: 0,
  /** Put the handle behind the placeholder. */
  handles: false,
  /** Put one line behind the placeholder that says what was done and how it came out. */
  observations: false,
  /** Results beyond the newest that are cleared together, whatever that costs at the moment; 0: never for their number. */
  batch: 0,
  /** Let the API clear on its side: the directives of context management. */
  server: true,
  /** Server-side clearing: prompt tokens that trigger it, and the least it clears. */
  serverTrigger: 180_000,
  serverClearAtLeast: 140_000,
};

const collapse = {
  /** While it is on, autocompact acts only on a request that would not fit otherwise. */
  enabled: false,
  /** Shares of the room for the conversation: from where spans are staged, from where they go, and down to where. */
  arm: 0.75,
  spawn: 0.95,
  target: 0.5,
  /** Share of the room by which the conversation grows before spans are staged again. */
  growth: 0.1,
  /** Tokens of newest messages that no span reaches into. */
  tail: 40_000,
  /** Tokens of a span: at least, and as many as rounds are gathered to. */
  smallest: 1_500,
  largest: 16_000,
  /** Tokens of a placeholder, at most, and as a share of its span. */
  summary: 1_000,
  summaryShare: 0.1,
};

const autocompact = {
  enabled: true,
  /** Tokens of the window that stay free for the answer. */
  outputReserve: 20_000,
  /** Tokens before that at which compaction begins. */
  buffer: 13_000,
  /** Compact earlier than that: at a percentage of the window up to 100, at a number of tokens above; 0: not earlier. */
  at: 0,
  /** Share of the room for the conversation that a compacted one may take. */
  target: 0.4,
  /** Compact also where a user turn begins and the cache is cold anyway. */
  whenCold: false,
  /** Tokens of a conversation from which on that is done, and to which it is brought then; 0 is never. */
  coldFrom: 0,
  coldTo: 0,
  /** Compact to `coldTo` also while the cache is warm, once the reads beyond that size have cost as much. */
  whenWarm: false,
  /** Most tokens of newest messages that stay word for word, and of the summary. */
  tail: 40_000,
  summary: 12_000,
  /** Most tokens of the attachments: files, plan, skills, the state of the session. */
  attachments: 75_000,
  /** Compactions in one user turn with little in between. */
  perTurn: 2,
  /** Failures of a model in a row after which none is asked, and the milliseconds until one is asked again. */
  failures: 3,
  coolDown: 10 * MINUTE,
  /** Fewer tokens than this are no room for a conversation. */
  least: 2_000,
};

const economics: EconomicsSettings = {
  ...{ warmEdits: false, horizon: 0, leastAtTurn: 0, leastInTurn: 0, dropThinking: false },
};

/** Limits of the tool result budget. */
export type BudgetSettings = Readonly<typeof budget>;
/** When old tool results are cleared. */
export type MicrocompactSettings = Readonly<typeof microcompact>;
/** When spans of the conversation are collapsed. */
export type CollapseSettings = Readonly<typeof collapse>;
/** When the conversation is compacted, and what is kept. */
export type AutocompactSettings = Readonly<typeof autocompact>;

/** Settings of all five levels. */
export interface PipelineSettings {
  readonly policy: PolicyName;
  readonly budget: BudgetSettings;
  readonly snip: { readonly tags: boolean };
  readonly microcompact: MicrocompactSettings;
  readonly collapse: CollapseSettings;
  readonly autocompact: AutocompactSettings;
  readonly economics: EconomicsSettings;
}

/** The settings of `seed`. */
export const seedSettings: PipelineSettings = {
  policy: "seed",
  ...{ budget, snip: { tags: true }, microcompact, collapse, autocompact, economics },
};

/** The settings of `thrifty`, the default. */
export const thriftySettings: PipelineSettings = {
  ...seedSettings,
  policy: "thrifty",
  budget: {
    ...budget,
    // Below that, the preview and what a look costs leave nothing to save; above it, the expected gain decides.
    resultLimit: 2_500,
    // The next edit needs the lines of a file word for word.
    toolLimits: { Read: 24_000 },
    // Half of the requests between two compactions, at the prices and the growth of usual sessions.
    stays: 10,
    preview: 700,
    previewStyle: "typed",
    rereads: true,
    exempt: [...ownTools, "TodoWrite", "ExitPlanMode"],
  },
  microcompact: {
    ...microcompact,
    tools: [...clearableTools, "Task", "Agent", "mcp__*", "recall"],
    exempt: ["snip", "unsnip", "mcp__*throughline*__*snip"],
    keepRecalled: 1,
    idle: "ttl",
    smallest: 1_200,
    handles: true,
    server: false,
  },
  autocompact: {
    ...autocompact,
    whenCold: true,
    coldFrom: 40_000,
    coldTo: 18_000,
    whenWarm: true,
    tail: 10_000,
    attachments: 8_000,
  },
  economics: { warmEdits: true, horizon: 40, leastAtTurn: 20_000, leastInTurn: 40_000, dropThinking: true },
};

/** The set of that name, with other settings for compaction where they are given. */
export function settingsFor(policy: PolicyName, compaction?: Partial<AutocompactSettings>): PipelineSettings {
  const settings = policy === "seed" ? seedSettings : thriftySettings;
  return compaction ? { ...settings, autocompact: { ...settings.autocompact, ...compaction } } : settings;
}

/** Tokens of a request from which on a conversation is compacted. */
export function compactsAt({ outputReserve, buffer, at }: AutocompactSettings, window: number) {
  const latest = window - outputReserve - buffer;
  if (at === 0) return latest;
  return Math.min(latest, at <= 100 ? (window * at) / 100 : at);
}

/** The settings with other limits for collapse. */
export function withCollapse(
  settings: PipelineSettings,
  collapse: Partial<CollapseSettings>,
): PipelineSettings {
  return { ...settings, collapse: { ...settings.collapse, ...collapse } };
}

/**
 * The settings of a session that makes no new edits to save cost: the ledger stays in force, what the model asks for is
 * done, and a request that would not fit is still made to fit.
 */
export function withoutNewEdits(settings: PipelineSettings): PipelineSettings {
  const most = Number.POSITIVE_INFINITY;
  return {
    ...settings,
    budget: {
      ...settings.budget,
      ...{ resultLimit: most, toolLimits: {}, errorLimit: most, messageLimit: most, rereads: false },
    },
    microcompact: { ...settings.microcompact, tools: [], server: false },
    collapse: { ...settings.collapse, enabled: false },
    autocompact: { ...settings.autocompact, whenCold: false, whenWarm: false },
    economics: { ...settings.economics, warmEdits: false, dropThinking: false },
  };
}

/** True when a tool's name matches one of the patterns; `*` stands for any text. */
export function matchesTool(patterns: readonly string[], name: string) {
  return patterns.some((pattern) => matchesGlob([name], [pattern]));
}
