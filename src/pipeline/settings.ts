// The settings of the levels: the constants of the `seed` policy, and what `thrifty` changes to save cost.
import { MINUTE, matchesGlob } from "../lib/index.ts";

export type PolicyName = "seed" | "thrifty";

export interface BudgetSettings {
  /** Characters of a result from which on it is kept out of the window and previewed. */
  readonly resultLimit: number;
  /** Other limits for tools by name. */
  readonly toolLimits: Readonly<Record<string, number>>;
  /** The same for the text of a failed call. */
  readonly errorLimit: number;
  /** Characters of all results of one message together. */
  readonly messageLimit: number;
  /** Characters a preview may take. */
  readonly preview: number;
  /** `head`: the first bytes, in the fixed template. `typed`: what matters in this kind of result, with its handle. */
  readonly previewStyle: "head" | "typed";
  /** Show a file that is read again as a difference to the copy in view. */
  readonly rereads: boolean;
  /** Tools whose results are never touched; `*` stands for any text. */
  readonly exempt: readonly string[];
}

export interface MicrocompactSettings {
  /** Tools whose old results may be cleared; `*` stands for any text. */
  readonly tools: readonly string[];
  readonly exempt: readonly string[];
  /** Newest results that stay. */
  readonly keepRecent: number;
  /** Idle milliseconds after which old results are cleared, or `ttl`: as soon as the cache is cold. */
  readonly idle: number | "ttl";
  /** Results shorter than this are not worth a placeholder. */
  readonly smallest: number;
  /** Put the handle behind the placeholder. */
  readonly handles: boolean;
  /** Let the API clear on its side: the directives of context management. */
  readonly server: boolean;
  /** Server-side clearing: prompt tokens that trigger it, and the least it clears. */
  readonly serverTrigger: number;
  readonly serverClearAtLeast: number;
}

export interface EconomicsSettings {
  /** May old content be edited while the cache is warm, when that repays itself? */
  readonly warmEdits: boolean;
  /** Requests that are expected to follow. */
  readonly horizon: number;
  /** Least tokens a warm edit must free at the start of a user turn, and in the middle of one. */
  readonly leastAtTurn: number;
  readonly leastInTurn: number;
  /** Drop earlier turns' thinking together with an edit of old content. */
  readonly dropThinking: boolean;
}

export interface CollapseSettings {
  /** While it is on, autocompact acts only on a request that would not fit otherwise. */
  readonly enabled: boolean;
  /** Shares of the room for the conversation: from where spans are staged, from where they go, and down to where. */
  readonly arm: number;
  readonly spawn: number;
  readonly target: number;
  /** Share of the room by which the conversation grows before spans are staged again. */
  readonly growth: number;
  /** Tokens of newest messages that no span reaches into. */
  readonly tail: number;
  /** Tokens of a span: at least, and as many as rounds are gathered to. */
  readonly smallest: number;
  readonly largest: number;
  /** Tokens of a placeholder, at most, and as a share of its span. */
  readonly summary: number;
  readonly summaryShare: number;
}

export interface AutocompactSettings {
  readonly enabled: boolean;
  /** Tokens of the window that stay free for the answer. */
  readonly outputReserve: number;
  /** Tokens before that at which compaction begins. */
  readonly buffer: number;
  /** Share of the room for the conversation that a compacted one may take. */
  readonly target: number;
  /** Compact also where a user turn begins and the cache is cold anyway. */
  readonly whenCold: boolean;
  /** Tokens of a conversation from which on that is done, and to which it is brought then; 0 is never. */
  readonly coldFrom: number;
  readonly coldTo: number;
  /** Most tokens of newest messages that stay word for word, and of the summary. */
  readonly tail: number;
  readonly summary: number;
  /** Most tokens of the attachments: files, plan, skills, the state of the session. */
  readonly attachments: number;
  /** Compactions in one user turn with little in between. */
  readonly perTurn: number;
  /** Failures of a model in a row after which none is asked, and the milliseconds until one is asked again. */
  readonly failures: number;
  readonly coolDown: number;
  /** Fewer tokens than this are no room for a conversation. */
  readonly least: number;
}

export interface PipelineSettings {
  readonly policy: PolicyName;
  readonly budget: BudgetSettings;
  readonly snip: { readonly tags: boolean };
  readonly microcompact: MicrocompactSettings;
  readonly collapse: CollapseSettings;
  readonly autocompact: AutocompactSettings;
  readonly economics: EconomicsSettings;
}

const clearableTools = ["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"];
const ownTools = ["recall", "snip", "unsnip", "mcp__*throughline*__*"];

export const seedSettings: PipelineSettings = {
  policy: "seed",
  budget: {
    resultLimit: 50_000,
    toolLimits: {},
    errorLimit: 50_000,
    messageLimit: 200_000,
    preview: 2_048,
    previewStyle: "head",
    rereads: false,
    exempt: ownTools,
  },
  snip: { tags: true },
  microcompact: {
    tools: clearableTools,
    exempt: ownTools,
    keepRecent: 5,
    idle: 60 * MINUTE,
    smallest: 0,
    handles: false,
    server: true,
    serverTrigger: 180_000,
    serverClearAtLeast: 140_000,
  },
  collapse: {
    enabled: false,
    arm: 0.75,
    spawn: 0.95,
    target: 0.5,
    growth: 0.1,
    tail: 40_000,
    smallest: 1_500,
    largest: 16_000,
    summary: 1_000,
    summaryShare: 0.1,
  },
  autocompact: {
    enabled: true,
    outputReserve: 20_000,
    buffer: 13_000,
    target: 0.4,
    whenCold: false,
    coldFrom: 0,
    coldTo: 0,
    tail: 40_000,
    summary: 12_000,
    attachments: 75_000,
    perTurn: 2,
    failures: 3,
    coolDown: 10 * MINUTE,
    least: 2_000,
  },
  economics: { warmEdits: false, horizon: 0, leastAtTurn: 0, leastInTurn: 0, dropThinking: false },
};

export const thriftySettings: PipelineSettings = {
  ...seedSettings,
  policy: "thrifty",
  budget: {
    ...seedSettings.budget,
    resultLimit: 2_500,
    toolLimits: { Read: 24_000 },
    messageLimit: 100_000,
    preview: 700,
    previewStyle: "typed",
    rereads: true,
    exempt: [...ownTools, "TodoWrite", "ExitPlanMode"],
  },
  microcompact: {
    ...seedSettings.microcompact,
    tools: [...clearableTools, "Task", "Agent", "mcp__*"],
    keepRecent: 2,
    idle: "ttl",
    smallest: 400,
    handles: true,
    server: false,
  },
  autocompact: {
    ...seedSettings.autocompact,
    whenCold: true,
    coldFrom: 40_000,
    coldTo: 20_000,
    tail: 10_000,
    attachments: 8_000,
  },
  economics: { warmEdits: true, horizon: 40, leastAtTurn: 8_000, leastInTurn: 40_000, dropThinking: true },
};

/** The set of that name, with other settings for compaction where they are given. */
export function settingsFor(policy: PolicyName, compaction?: Partial<AutocompactSettings>): PipelineSettings {
  const settings = policy === "seed" ? seedSettings : thriftySettings;
  if (compaction === undefined) return settings;
  return { ...settings, autocompact: { ...settings.autocompact, ...compaction } };
}

export function withCollapse(
  settings: PipelineSettings,
  collapse: Partial<CollapseSettings>,
): PipelineSettings {
  return { ...settings, collapse: { ...settings.collapse, ...collapse } };
}

/** True when a tool's name matches one of the patterns; `*` stands for any text. */
export function matchesTool(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob([name], [pattern]));
}
