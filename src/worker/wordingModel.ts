// The model that words observations: one object as long as its settings stay the same, so that its model session lives on.
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Config } from "../config/index.ts";
import { claudeFolders, type Environment, type Home } from "../home/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { languageModel } from "../settings/index.ts";
import type { BackgroundJob } from "./backgroundJob.ts";

/**
 * Deletes the transcripts that Claude Code keeps of model sessions: they hold excerpts of what is being forgotten. The next
 * question begins a new model session.
 */
export function removeWordingTranscripts(env: Environment): void {
  for (const projects of claudeFolders(env).map((folder) => path.join(folder, "projects")))
    for (const name of existsSync(projects) ? readdirSync(projects) : [])
      if (name.endsWith("-throughline-wording"))
        rmSync(path.join(projects, name), { recursive: true, force: true });
}

interface WordingParts {
  readonly home: Home;
  readonly env: Environment;
  /** Read anew for each job: settings change while a worker runs. */
  readonly settings: () => Config | undefined;
}

/** `stop` ends the process of the model session; the session itself can be resumed by the next worker. */
export function makeWordingModel({ home, env, settings }: WordingParts): BackgroundJob & {
  readonly current: () => LanguageModel | undefined;
  /** Ends the process; the next question opens another. */
  readonly close: () => Promise<void>;
} {
  let held: { readonly key: string; readonly model: LanguageModel | undefined } | undefined;
  const current = () => {
    const values = settings();
    if (values?.observe.model !== true) return undefined;
    const key = JSON.stringify([values.llm, values.models]);
    if (held?.key === key) return held.model;
    void held?.model?.close?.();
    held = { key, model: languageModel(values, { home, env }) };
    return held.model;
  };
  const close = async () => held?.model?.close?.();
  return { current, close, stop: close };
}
