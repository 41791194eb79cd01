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

/** The fields of the model table that can be overridden; a custom model is `like` a known one. */
const modelOverride = z.strictObject({
  like: z.string().min(1).exactOptional(),
  window: count.exactOptional(),
  maxOutput: count.exactOptional(),
  prices: z.array(priceStep).min(1).exactOptional(),
  minCacheable: z.int().min(0).exactOptional(),
  tokenizer: z.enum(["old", "new"]).exactOptional(),
  thinking: z.enum(["legacy", "keep-all-thinking", "append-only"]).exactOptional(),
  midConversationSystem: z.boolean().exactOptional(),
  prefill: z.boolean().exactOptional(),
  compactsOnDemand: z.boolean().exactOptional(),
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
const listed: ProjectKey = { narrows: "list" };

const whole = (least: number, preset: number, about: string) =>
  z.int().min(least).default(preset).describe(about);
const text = (preset: string, about: string) => z.string().default(preset).describe(about);
const toggle = (preset: boolean, about: string) => z.boolean().default(preset).describe(about);

/**
 * A new group is a new `z.strictObject({ … }).prefault({})`; a new key is a line in its group.
 * Every key has a default and a one-line description: tests hold both.
 * A key that a trusted project may set is registered in `projectKeys`, last in its line.
 */
export const configSchema = z.strictObject({
  locale: z
    .enum(["auto", "en", "zh"])
    .default("auto")
    .describe("Language of what you read; `auto` follows the system.")
    .register(projectKeys, trusted),
  model: z
    .string()
    .min(1)
    .default("claude-opus-5-5")
    .describe("Model assumed where a session or a command names none.")
    .register(projectKeys, trusted),
  models: z
    .record(z.string().min(1), modelOverride)
    .default({})
    .describe("Corrections and additions to the model table, by model id.")
    .register(projectKeys, trusted),
  llm: z
    .strictObject({
      provider: z
        .enum(["none", "anthropic", "openai-compatible", "claude-cli"])
        .default("none")
        .describe("Who writes summaries and notes; everything works with `none`."),
      model: text("", "Model to ask; empty leaves the choice to the provider."),
      baseUrl: text("", "Where the server is; empty is the provider's usual place."),
      apiKeyEnv: text("", "Variable that holds the key; empty is the provider's usual one."),
      command: z.string().min(1).default("claude").describe("Program that `claude-cli` starts."),
      timeoutSeconds: z.number().min(1).default(180).describe("Seconds for one attempt at an answer."),
      totalSeconds: z
        .number()
        .min(1)
        .default(300)
        .describe("Seconds for all attempts at an answer and the pauses between them."),
      retries: z.int().min(0).max(10).default(3).describe("Attempts after the first."),
      dailyTokens: whole(
        0,
        5_000_000,
        "Tokens that may be spent in a UTC day, read and written; 0 is no limit.",
      ),
    })
    .prefault({}),
  policy: z
    .enum(["seed", "thrifty"])
    .default("thrifty")
    .describe("`thrifty` times edits by what they cost; `seed` keeps to the fixed constants.")
    .register(projectKeys, trusted),
  compaction: z
    .strictObject({
      enabled: toggle(true, "Compact a conversation before it outgrows its window.").register(
        projectKeys,
        trusted,
      ),
      outputReserve: whole(0, 20_000, "Tokens of the window that stay free for the answer.").register(
        projectKeys,
        trusted,
      ),
      buffer: whole(0, 13_000, "Tokens before that at which a conversation is compacted.").register(
        projectKeys,
        trusted,
      ),
      whenCold: toggle(
        true,
        "Compact a long conversation also where a turn begins and the prompt cache is cold anyway; `thrifty` alone does.",
      ).register(projectKeys, trusted),
    })
    .prefault({}),
  collapse: z
    .strictObject({
      enabled: toggle(
        false,
        "Collapse early spans one by one instead of compacting everything at the threshold.",
      ).register(projectKeys, trusted),
    })
    .prefault({}),
  replay: z
    .strictObject({
      ttl: z
        .enum(["5m", "1h"])
        .default("5m")
        .describe("How long the prompt cache is taken to live when sessions are replayed.")
        .register(projectKeys, trusted),
    })
    .prefault({}),
  vault: z
    .strictObject({
      retentionDays: whole(
        0,
        0,
        "Days after which bytes no live ledger refers to may be deleted; 0 keeps them.",
      ),
      maxBytes: whole(
        0,
        0,
        "Size above which the oldest bytes no live ledger refers to may be deleted; 0 is no limit.",
      ),
    })
    .prefault({}),
  store: z
    .strictObject({
      retentionDays: whole(0, 0, "Days after which everything in the database may be deleted; 0 keeps it."),
      rawRetentionDays: whole(0, 0, "Days after which raw events and messages may be deleted; 0 keeps them."),
      maxBytes: whole(
        0,
        0,
        "Size of the database above which its oldest rows may be deleted; 0 is no limit.",
      ),
      dailyBackups: z
        .int()
        .min(0)
        .max(30)
        .default(3)
        .describe("How many daily backups of the database are kept; 0 makes none."),
      maxBackupBytes: whole(
        0,
        0,
        "Size of all automatic backups together; 0 is the larger of 1 GB and twice the database.",
      ),
    })
    .prefault({}),
  archive: z
    .strictObject({
      enabled: toggle(true, "Whether conversations are archived as files.").register(projectKeys, switchOff),
      dir: text("", "Folder that holds `groups/<group>/conversations/`; empty is the data folder."),
      group: text("", "Group of archives; empty is the project's own.").register(projectKeys, trusted),
      name: z
        .string()
        .min(1)
        .default("{date}-{slug}-{id}.md")
        .describe("Name of a new archive, of `{date} {time} {slug} {summary} {id} {session}`."),
      format: z.enum(["md", "json"]).default("md").describe("Form of a new archive."),
      assistantName: z
        .string()
        .min(1)
        .default("Assistant")
        .describe("What archives call the assistant.")
        .register(projectKeys, trusted),
      maxTextCharacters: whole(0, 0, "Characters after which archives cut a text; 0 keeps texts whole."),
      maxBytes: whole(
        0,
        0,
        "Size above which the oldest archives are compressed; none is removed. 0 is no limit.",
      ),
    })
    .prefault({}),
  lane: z
    .enum(["auto", "hooks", "mods"])
    .default("hooks")
    .describe(
      "How Claude Code reports to us: by command hooks, by a mod inside it, or the mod wherever one is known to work.",
    ),
  budget: z
    .strictObject({
      hooks: toggle(
        false,
        "Replace large outputs of Bash on the lane of hooks too: each tool call then waits for a hook. Install again after a change.",
      ),
    })
    .prefault({}),
  capture: z
    .strictObject({
      exclude: z
        .array(z.string().min(1))
        .default([])
        .describe("Folders, or globs of folders, in which nothing is captured.")
        .register(projectKeys, listed),
    })
    .prefault({}),
  snapshot: z
    .strictObject({
      enabled: toggle(true, "Take snapshots before compactions, and load them afterwards.").register(
        projectKeys,
        switchOff,
      ),
      hours: z
        .number()
        .min(0.01)
        .default(2)
        .describe("Hours for which a snapshot is loaded; from then on it is cleaned up.")
        .register(projectKeys, trusted),
      messages: whole(0, 20, "How many of the last messages are kept word for word.").register(
        projectKeys,
        trusted,
      ),
      reference: z
        .enum(["CLAUDE.md", "CLAUDE.local.md", "off"])
        .default("CLAUDE.md")
        .describe("The file of the project that refers to its snapshot.")
        .register(projectKeys, trusted),
    })
    .prefault({}),
  observe: z
    .strictObject({
      model: toggle(
        true,
        "Let the model of `llm`, where there is one, write observations and summaries anew.",
      ),
    })
    .prefault({}),
  inject: z
    .strictObject({
      enabled: toggle(true, "Tell a new session what earlier ones in its project left behind.").register(
        projectKeys,
        switchOff,
      ),
      tokens: whole(
        0,
        1_000,
        "Tokens that the index may take at the start of a session, and as many the list of memories.",
      ).register(projectKeys, trusted),
      prompts: toggle(
        false,
        "Tell the model the few memories that a prompt is clearly about, with the prompt.",
      ).register(projectKeys, switchOff),
    })
    .prefault({}),
  search: z
    .strictObject({
      embedder: z
        .enum(["none", "packaged", "onnx", "openai-compatible"])
        .default("none")
        .describe(
          "Who turns texts into vectors, so that search knows nearness in meaning; words do without.",
        ),
      model: text("", "Embedding model that is asked of an `openai-compatible` server."),
      baseUrl: text("", "Where that server is; empty is Ollama on this machine."),
      apiKeyEnv: text("", "Variable that holds its key; empty is `OPENAI_API_KEY`."),
      modelFile: text(
        "",
        "File of an `onnx` model, with its tokenizer.json or vocab.txt in the same folder.",
      ),
    })
    .prefault({}),
  memory: z
    .strictObject({
      dir: text(
        "",
        "Folder of memories; empty is Claude Code's own of the project, or ours where it keeps none.",
      ),
      mode: z
        .enum(["index", "log"])
        .default("index")
        .describe(
          "Whether what is added becomes a memory with a line in MEMORY.md, or an entry of the daily log.",
        )
        .register(projectKeys, trusted),
      historyDays: whole(
        0,
        90,
        "Days for which every change of a memory is kept, the newest 20 of each longer; 0 keeps all.",
      ),
    })
    .prefault({}),
  notes: z
    .strictObject({
      enabled: toggle(true, "Keep notes of every session while it runs.").register(projectKeys, switchOff),
    })
    .prefault({}),
  worker: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(37_777)
        .describe("Port of the HTTP face; the next free one is taken if it is in use, any free one for 0."),
      idleMinutes: z
        .number()
        .min(0)
        .default(30)
        .describe("Minutes without an event or a reader after which the worker leaves; 0 lets it stay."),
      logLevel: z
        .enum(["error", "warn", "info", "debug"])
        .default("info")
        .describe("How much the worker writes into its log."),
    })
    .prefault({}),
});

export type Config = z.output<typeof configSchema>;
