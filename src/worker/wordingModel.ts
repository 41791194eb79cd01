// The model that words observations: one object as long as its settings stay the same, so that its model session lives on.
import type { Config } from "../config/index.ts";
import type { Environment, Home } from "../home/index.ts";
import type { LanguageModel } from "../models/index.ts";
import { languageModel } from "../settings/index.ts";
import type { BackgroundJob } from "./backgroundJob.ts";

interface WordingModelParts {
  readonly home: Home;
  readonly env: Environment;
  /** Read anew for each job: settings change while a worker runs. */
  readonly settings: () => Config | undefined;
}

/** `stop` ends the process of the model session; the session itself can be resumed by the next worker. */
export function makeWordingModel({ home, env, settings }: WordingModelParts): BackgroundJob & {
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
