// The schema of every setting; types, defaults, names, the JSON Schema and docs/config.md are derived from it.
import { z } from "zod";

const dollars = z.number().min(0);
const count = z.int().min(1);

/** US dollars per million tokens, for prompts larger than `above`. */
const priceStep = z.strictObject({
  above: z.int().min(0),
  input: dollars,
  output: dollars,
  cacheWrite5m: dollars,
  cacheWrite1h: dollars,
  cacheRead: dollars,
});

const flag = z.boolean().exactOptional();

/** The fields of the model table that can be overridden; a custom model is `like` a known one. */
const modelOverride = z.strictObject({
  like: z.string().min(1).exactOptional(),
  window: count.exactOptional(),
  maxOutput: count.exactOptional(),
  prices: z.array(priceStep).min(1).exactOptional(),
  minCacheable: z.int().min(0).exactOptional(),
  tokenizer: z.enum(["old", "new"]).exactOptional(),
  thinking: z.enum(["legacy", "keep-all-thinking", "append-only"]).exactOptional(),
  midConversationSystem: flag,
  prefill: flag,
  compactsOnDemand: flag,
});

/** How a project's file may set a key. */
export interface ProjectKey {
  /** `off`: `false` only restricts, and takes effect without trust. `list`: so does every entry. `no`: every value needs trust. */
  readonly narrows: "off" | "list" | "no";
}

/** The keys that affect only the project that sets them. Other keys are ignored in a project's file. */
export const projectKeys = z.registry<ProjectKey>();
const trusted: ProjectKey = { narrows: "no" };
const switchOff: ProjectKey = { narrows: "off" };
const narrowsList: ProjectKey = { narrows: "list" };

/** One setting; `project` says how a project's file may set it, and is absent for keys that only the user sets. */
function setting<S extends z.ZodType>(schema: S, preset: z.output<S>, about: string, project?: ProjectKey) {
  const made = schema.default(preset as never).describe(about);
  if (project) projectKeys.add(made, project);
  return made;
}

const oneOf = <const O extends string>(
  options: readonly O[],
  preset: O,
  about: string,
  project?: ProjectKey,
) => setting(z.enum(options), preset, about, project);
const whole = (least: number, preset: number, about: string, project?: ProjectKey) =>
  setting(z.int().min(least), preset, about, project);
const text = (preset: string, about: string, project?: ProjectKey) =>
  setting(z.string(), preset, about, project);
const filled = (preset: string, about: string, project?: ProjectKey) =>
  setting(z.string().min(1), preset, about, project);
const toggle = (preset: boolean, about: string, project?: ProjectKey) =>
  setting(z.boolean(), preset, about, project);
const settingGroup = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape).prefault({} as never);

/** A new key is a line in its group. Every key has a default and a one-line description: tests hold both. */
export const configSchema = z.strictObject({
  locale: oneOf(["auto", "en", "zh"], "auto", "Language of the output; `auto` follows the system.", trusted),
  model: filled("claude-opus-5-5", "Model to assume when a session or a command names none.", trusted),
  models: setting(
    z.record(z.string().min(1), modelOverride),
    {},
    "Corrections and additions to the model table, by model id.",
    trusted,
  ),
  llm: settingGroup({
    provider: oneOf(
      ["none", "anthropic", "openai-compatible", "ollama", "claude-cli"],
      "none",
      "Model provider for summaries and notes; with `none` they are written by rules.",
    ),
    model: text("", "Model to request; empty lets the provider choose."),
    baseUrl: text("", "Base URL of the server; empty is the provider's default."),
    apiKeyEnv: text("", "Environment variable with the API key; empty is the provider's default."),
    command: filled("claude", "Program that `claude-cli` runs."),
    timeoutSeconds: setting(z.number().min(1), 180, "Timeout of one attempt, in seconds."),
    totalSeconds: setting(
      z.number().min(1),
      300,
      "Timeout of all attempts and the pauses between them, in seconds.",
    ),
    retries: setting(z.int().min(0).max(10), 3, "Retries after a failed attempt."),
    dailyTokens: whole(0, 5_000_000, "Token budget per UTC day, input and output; 0 is no limit."),
  }),
  policy: oneOf(
    ["seed", "thrifty"],
    "thrifty",
    "`thrifty` times edits by their cost; `seed` uses the fixed constants.",
    trusted,
  ),
  compaction: settingGroup({
    enabled: toggle(true, "Compact a conversation before it outgrows the context window.", trusted),
    outputReserve: whole(0, 20_000, "Tokens of the window reserved for the answer.", trusted),
    buffer: whole(0, 13_000, "Tokens below that limit at which a conversation is compacted.", trusted),
    at: whole(
      0,
      0,
      "Compact earlier: at a percentage of the window (up to 100) or at a number of tokens (above); 0 is not earlier.",
      trusted,
    ),
    whenCold: toggle(
      true,
      "Also compact a long conversation at the start of a turn when the prompt cache is cold; `thrifty` only.",
      trusted,
    ),
    whenWarm: toggle(
      true,
      "Also compact a long conversation while the prompt cache is warm, once the reads beyond the compacted size have cost as much; `thrifty` only.",
      trusted,
    ),
  }),
  collapse: settingGroup({
    enabled: toggle(
      false,
      "Collapse early spans one by one instead of compacting everything at the threshold.",
      trusted,
    ),
  }),
  replay: settingGroup({
    ttl: oneOf(["5m", "1h"], "5m", "Lifetime of the prompt cache that replays assume.", trusted),
  }),
  vault: settingGroup({
    retentionDays: whole(
      0,
      0,
      "Days after which bytes that no live ledger refers to may be deleted; 0 keeps them.",
    ),
    maxBytes: whole(
      0,
      0,
      "Size above which the oldest bytes that no live ledger refers to may be deleted; 0 is no limit.",
    ),
  }),
  store: settingGroup({
    retentionDays: whole(0, 0, "Days after which all data in the database may be deleted; 0 keeps it."),
    rawRetentionDays: whole(0, 0, "Days after which raw events and messages may be deleted; 0 keeps them."),
    maxBytes: whole(0, 0, "Database size above which the oldest rows may be deleted; 0 is no limit."),
    dailyBackups: setting(
      z.int().min(0).max(30),
      3,
      "Number of daily database backups to keep; 0 makes none.",
    ),
    maxBackupBytes: whole(
      0,
      0,
      "Total size of automatic backups; 0 is 1 GB or twice the database, whichever is larger.",
    ),
  }),
  archive: settingGroup({
    enabled: toggle(true, "Archive conversations as files.", switchOff),
    dir: text("", "Folder that holds `groups/<group>/conversations/`; empty is the data folder."),
    groups: toggle(
      true,
      "Put archives into folders of their groups; off puts them into `archive.dir` itself.",
    ),
    group: text("", "Group of archives; empty is the project's own.", trusted),
    name: text(
      "",
      "File name of a new archive, made of `{date} {time} {slug} {summary} {id} {session}`; empty is `{date}-{slug}-{id}.md`, for `conversation` `{date}-{summary}.md`.",
    ),
    content: oneOf(
      ["full", "conversation"],
      "full",
      "What new archives hold: everything, or only what user and assistant said.",
    ),
    format: oneOf(["md", "json"], "md", "Format of new archives."),
    assistantName: filled("Assistant", "Name of the assistant in archives.", trusted),
    maxTextCharacters: whole(
      0,
      0,
      "Characters after which archives cut a text; 0 keeps texts whole, for `conversation` it is 2,000.",
    ),
    maxBytes: whole(
      0,
      0,
      "Total size above which the oldest archives are compressed; none is deleted. 0 is no limit.",
    ),
  }),
  lane: oneOf(
    ["auto", "hooks", "mods"],
    "hooks",
    "How Claude Code reports events: by command hooks, by a mod inside it, or (`auto`) by the mod where it is known to work.",
  ),
  channel: oneOf(
    ["stable", "beta"],
    "stable",
    "`beta` turns on what is marked beta, as a group: Endless Mode (`live.endless`).",
    trusted,
  ),
  live: settingGroup({
    enabled: toggle(
      true,
      "Edit the requests of sessions whose lane can: no new edits when off, those that were made stay.",
      trusted,
    ),
    endless: toggle(
      true,
      "Endless Mode (beta, with `channel` beta): beyond the newest results the window shows one line each, with its handle.",
      trusted,
    ),
  }),
  budget: settingGroup({
    hooks: toggle(
      false,
      "Also replace large outputs of Bash on the hooks lane; each tool call then waits for a hook. Reinstall after a change.",
    ),
  }),
  capture: settingGroup({
    exclude: setting(
      z.array(z.string().min(1)),
      [],
      "Folders, or globs of folders, in which nothing is captured.",
      narrowsList,
    ),
  }),
  snapshot: settingGroup({
    enabled: toggle(true, "Take snapshots before compactions, and load them afterwards.", switchOff),
    hours: setting(
      z.number().min(0.01),
      2,
      "Hours during which a snapshot is loaded; after that it is cleaned up.",
      trusted,
    ),
    messages: whole(0, 20, "Number of recent messages that are kept verbatim.", trusted),
    reference: oneOf(
      ["auto", "CLAUDE.md", "CLAUDE.local.md", "off"],
      "auto",
      "File of the project that refers to its snapshot; `auto`: CLAUDE.md, or CLAUDE.local.md where git tracks that.",
      trusted,
    ),
  }),
  observe: settingGroup({
    model: toggle(true, "Let the model of `llm`, if there is one, rewrite observations and summaries."),
  }),
  inject: settingGroup({
    enabled: toggle(true, "Give a new session an index of the earlier ones in its project.", switchOff),
    tokens: whole(
      0,
      1_000,
      "Token limit of the index at the start of a session, and again of the list of memories.",
      trusted,
    ),
    prompts: toggle(false, "Add the few memories that a prompt is clearly about to that prompt.", switchOff),
    files: toggle(
      false,
      "Tell the model what earlier sessions did about a file when it opens it, once a file and session.",
      switchOff,
    ),
  }),
  search: settingGroup({
    embedder: oneOf(
      ["none", "packaged", "model2vec", "onnx", "openai-compatible"],
      "none",
      "Embedding provider for search by meaning; with `none` search matches words only.",
    ),
    model: text("", "Embedding model to request from an `openai-compatible` server."),
    baseUrl: text("", "Base URL of that server; empty is Ollama on this machine."),
    apiKeyEnv: text("", "Environment variable with its API key; empty is `OPENAI_API_KEY`."),
    modelFile: text(
      "",
      "Path of an `onnx` model or of a `model2vec` table (model.safetensors), with its tokenizer.json or vocab.txt in the same folder.",
    ),
  }),
  memory: settingGroup({
    dir: text(
      "",
      "Folder of memories; empty is Claude Code's own folder of the project, or ours where it has none.",
    ),
    mode: oneOf(
      ["index", "log"],
      "index",
      "Whether a new memory becomes a file with a line in MEMORY.md, or an entry in the daily log.",
      trusted,
    ),
    historyDays: whole(
      0,
      90,
      "Days for which every change of a memory is kept; the newest 20 of each are kept longer. 0 keeps all.",
    ),
  }),
  notes: settingGroup({
    enabled: toggle(true, "Keep notes of every session while it runs.", switchOff),
  }),
  remote: text(
    "",
    "Address of the team's server, such as https://memory.example; empty keeps everything on this machine.",
  ),
  worker: settingGroup({
    port: setting(
      z.int().min(0).max(65_535),
      37_777,
      "Port of the HTTP server; if it is in use, the next free one. 0 is any free port.",
    ),
    idleMinutes: setting(
      z.number().min(0),
      30,
      "Minutes without an event or a reader after which the worker exits; 0 keeps it running.",
    ),
    logLevel: oneOf(["error", "warn", "info", "debug"], "info", "Log level of the worker."),
  }),
});

export type Config = z.output<typeof configSchema>;
