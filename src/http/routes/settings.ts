// Settings over HTTP: the values in effect and their origins, changes to the user's own file, and a test of the model.
import { configFiles, loadConfig, setSetting, settings, unsetSetting } from "../../config/index.ts";
import { type Environment, type Home, languageOf } from "../../home/index.ts";
import { defined } from "../../lib/index.ts";
import { languageModel, readableSettings } from "../../settings/index.ts";
import type { ProviderTest, SettingsView } from "../wire.ts";

interface SettingsSource {
  readonly home: Home;
  readonly env: Environment;
  /** Called after a change. */
  readonly onChange: () => void;
}

export type SettingsAccess = ReturnType<typeof settingsAccess>;

/** The language that the user's own settings ask for; a file that cannot be read asks for none. */
export function userLanguage(home: Home, env: Environment) {
  return languageOf(readableSettings({ home, env })?.locale ?? "auto", env);
}

/** Reads and changes settings; throws for a change that is not allowed. */
export function settingsAccess({ home, env, onChange }: SettingsSource) {
  // Settings of the user's own file are found from anywhere.
  const cwd = home.config;
  return {
    read: (): SettingsView => ({
      file: configFiles(home, cwd).user.file,
      settings: loadConfig({ home, env }).origins,
      known: settings,
    }),
    /** A value of null takes a setting out of the file. */
    change(changes: Readonly<Record<string, unknown>>) {
      const texts = Object.entries(changes).map(([key, value]) => [
        key,
        value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const flags: Record<string, string | undefined> = Object.fromEntries(texts);
      // As flags they are checked together before the first is written: one mistake changes nothing.
      loadConfig({ home, env, flags });
      const target = { home, cwd, scope: "user" } as const;
      const changed = Object.entries(flags).map(([key, text]) =>
        text === undefined ? unsetSetting(target, key) : setSetting(target, key, text),
      );
      onChange();
      return { changed };
    },
    testProvider: () => testProvider(home, env),
  };
}

/** A person waits for this. */
const MOST_SECONDS = 30;

const fixes: Readonly<Record<string, string>> = {
  unauthorized: "check the key: `llm.apiKeyEnv` names the variable that the worker was started with",
  unavailable: "check `llm.baseUrl` and `llm.command`, and that what they name is running",
  timeout: "check `llm.baseUrl`, or try again when the server is less busy",
  "rate-limited": "wait a moment and try again",
  overloaded: "wait a moment and try again",
  "over-budget": "raise `llm.dailyTokens`, or wait until tomorrow",
};

/** Sends one small request to the model that settings name. A provider's failure is an outcome, not an error. */
async function testProvider(home: Home, env: Environment): Promise<ProviderTest> {
  const { llm, models } = loadConfig({ home, env }).values;
  const { provider } = llm;
  const limits = {
    retries: 0,
    timeoutSeconds: Math.min(llm.timeoutSeconds, MOST_SECONDS),
    totalSeconds: Math.min(llm.totalSeconds, MOST_SECONDS),
  };
  const model = languageModel({ llm: { ...llm, ...limits }, models }, { home, env });
  if (!model) {
    const message = "No model is asked; everything works without one.";
    return { ok: false, provider, message, fix: "set `llm.provider` to ask one" };
  }
  const began = performance.now();
  const outcome = await model.complete({
    purpose: "provider-test",
    messages: [{ role: "user", content: "Answer with one word: ready" }],
    maxTokens: 16,
    thinking: "off",
  });
  const milliseconds = Math.round(performance.now() - began);
  if (outcome.ok) {
    const { reply } = outcome;
    return { ok: true, provider, model: reply.model, milliseconds, message: reply.text.trim().slice(0, 200) };
  }
  const { kind, message } = outcome.error;
  return defined({ ok: false, provider, milliseconds, message, fix: fixes[kind] });
}
