// The ledger, vault and settings of a session whose conversation Claude Code keeps itself.
import path from "node:path";
import type { Config } from "../config/index.ts";
import { type Environment, type Home, projectOf, sessionPlace, vaultFolder } from "../home/index.ts";
import { defined } from "../lib/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { openSession, type Session, settingsFor } from "../pipeline/index.ts";
import { languageModel, readableSettings, userSettings } from "../settings/index.ts";
import { findModel } from "../tokens/index.ts";
import type { Asker } from "./protocol.ts";

export interface HostWindow {
  readonly session: Session;
  readonly values: Config;
  /** The model that decides on windows and counts tokens. */
  readonly model: string;
  /** Where the agent may read whole results without asking. */
  readonly resultsFolder: string | undefined;
}

export type OpenWindow = (asker: Asker) => HostWindow;

/** Claude Code's own folder for results too large to show: the agent may read there without a question. */
function hostResults(transcript: string | undefined) {
  return transcript?.endsWith(".jsonl")
    ? path.join(transcript.slice(0, -".jsonl".length), "tool-results")
    : undefined;
}

/** Where the agent stores what it is given nothing can be tagged, and no request carries a directive of ours. */
function hostSettings({ policy, compaction }: Config) {
  const settings = settingsFor(policy, compaction);
  return { ...settings, snip: { tags: false }, microcompact: { ...settings.microcompact, server: false } };
}

/** The model that the user's own settings name: a file in a repository decides on no server. */
export function userModel(home: Home, env: Environment): () => LanguageModel | undefined {
  return () => languageModel(userSettings(home, env), { home, env });
}

export function openWindows(home: Home, env: Environment): OpenWindow {
  return ({ session, project, transcript, model }) => {
    const values = readableSettings({ home, cwd: project, env }) ?? userSettings(home, env);
    const resultsFolder = hostResults(transcript);
    const opened = openSession(sessionPlace(home, projectOf(project).id, session), {
      vault: vaultFolder(home),
      settings: hostSettings(values),
      models: values.models,
      ...defined({ resultsFolder }),
    });
    const known = model === undefined ? undefined : findModel(model, values.models);
    return { session: opened, values, model: known?.id ?? values.model, resultsFolder };
  };
}
