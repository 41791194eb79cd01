// Who observes in a worker process: settings, the model, and the scan for secrets behind the handlers.
import { type Environment, type Home, languageOf } from "../../home/index.ts";
import { systemClock } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { redactText, redactValue } from "../../redact/index.ts";
import { languageModel, readableSettings } from "../../settings/index.ts";
import type { Store } from "../../store/index.ts";
import type { EngineOptions } from "../engine.ts";
import { observingHandlers } from "./observe.ts";
import { refiningHandlers } from "./refine.ts";

interface ObservationParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Store;
  readonly log: Logger;
}

export function observationWork(
  parts: ObservationParts,
): Pick<EngineOptions, "handlers" | "patientHandlers"> {
  const { home, env, store, log } = parts;
  // Read anew for each job: settings change while a worker runs.
  const values = () => readableSettings({ home, env });
  const model = (): LanguageModel | undefined => {
    const config = values();
    return config?.observe.model === true ? languageModel(config, { home, env }) : undefined;
  };
  const language = () => languageOf(values()?.locale ?? "auto", env);
  return {
    handlers: observingHandlers({
      store,
      redact: (value) => redactValue(value).value,
      hasModel: () => model() !== undefined,
      language,
      now: () => systemClock.now(),
    }),
    patientHandlers: refiningHandlers({
      store,
      model,
      redact: (text) => redactText(text).text,
      language,
      clock: systemClock,
      log,
    }),
  };
}
