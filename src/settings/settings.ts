// The settings that the worker goes by: the user's own, or those in effect in a folder of work.
import { type Config, type ConfigSources, isNews, loadConfig, projectNotice } from "../config/index.ts";
import {
  type Environment,
  type Home,
  languageOf,
  type SnapshotRules,
  spendingFolder,
} from "../home/index.ts";
import { defined, ThroughlineError } from "../lib/index.ts";
import { createModel, type LanguageModel } from "../models/index.ts";
import type { SnapshotSettings } from "../snapshot/index.ts";
import { cost, estimateTokens, findModel } from "../tokens/index.ts";

/** The worker serves every project and so reads the file of none. Throws where the user's file cannot be read. */
export function userSettings(home: Home, env: Environment): Config {
  return loadConfig({ home, env }).values;
}

/**
 * Without a folder, the user's own settings. Undefined where a file cannot be read: the worker logs errors in the user's file,
 * and commands report errors in a project's.
 */
export function readableSettings(sources: ConfigSources): Config | undefined {
  try {
    return loadConfig(sources).values;
  } catch {
    return undefined;
  }
}

/** Without a folder, what holds everywhere. Undefined where the files cannot be read: then nothing is archived yet. */
export function archiveSettings(
  home: Home,
  env: Environment,
  flags: NonNullable<ConfigSources["flags"]> = {},
): (cwd?: string) => Config["archive"] | undefined {
  return (cwd) => {
    const user = readableSettings({ home, env, flags })?.archive;
    const project = cwd === undefined ? user : readableSettings({ home, cwd, env, flags })?.archive;
    if (!user || !project) return undefined;
    // A file in a repository must not decide where on this machine conversations are written.
    const { enabled, group, assistantName } = project;
    return { ...user, enabled, group, assistantName };
  };
}

const fallback: Pick<Config, "locale" | "snapshot"> = {
  locale: "auto",
  snapshot: { enabled: true, hours: 2, messages: 20, reference: "auto" },
};

/** Without a folder, what holds everywhere. */
export function snapshotSettings(
  home: Home,
  env: Environment,
): (project?: string) => SnapshotSettings & Pick<SnapshotRules, "enabled"> {
  return (project) => {
    const { locale, snapshot } =
      readableSettings({ home, cwd: project, env }) ?? readableSettings({ home, env }) ?? fallback;
    return { ...snapshot, language: languageOf(locale, env) };
  };
}

export function projectNotices(home: Home, env: Environment): (folder: string) => string | undefined {
  return (folder) => {
    try {
      const { project, values } = loadConfig({ home, cwd: folder, env });
      const notice = project && projectNotice(project, languageOf(values.locale, env));
      return project && notice && isNews(home, "session", project) ? notice : undefined;
    } catch (error) {
      // The user's own file is wrong; the worker's log has it.
      if (error instanceof ThroughlineError) return undefined;
      throw error;
    }
  };
}

/** Undefined where the settings say `none`. */
export function languageModel(
  { llm, models }: Pick<Config, "llm" | "models">,
  { home, env }: { readonly home: Home; readonly env: Environment },
): LanguageModel | undefined {
  if (llm.provider === "none") return undefined;
  const known = findModel(llm.model, models);
  return createModel(llm, {
    env,
    spending: spendingFolder(home),
    cost: (name, usage) => {
      const priced = findModel(name, models);
      return priced && cost(usage, priced);
    },
    estimate: ({ messages, system, tools }) =>
      estimateTokens(messages, {
        model: known ?? { tokenizer: "new", thinking: "keep-all-thinking" },
        ...defined({ system, tools }),
      }),
  });
}
