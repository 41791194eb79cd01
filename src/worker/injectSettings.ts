// The settings for what a session is told in a folder: those of its project, or the user's where a project's file cannot be read.
import { type Config, loadConfig } from "../config/index.ts";
import { type Environment, type Home, languageOf } from "../lib/index.ts";
import type { InjectSettings } from "./answers.ts";
import { neutralFolder } from "./settingsAccess.ts";

function valuesFor(home: Home, cwd: string, env: Environment): Pick<Config, "locale" | "inject"> | undefined {
  try {
    return loadConfig({ home, cwd, env }).values;
  } catch {
    // Told elsewhere: the worker logs what is wrong with the user's file, a command what is wrong with a project's.
    return undefined;
  }
}

export function injectSettings(home: Home, env: Environment): (folder: string) => InjectSettings {
  return (folder) => {
    const values = valuesFor(home, folder, env) ?? valuesFor(home, neutralFolder(home), env);
    // Settings that nobody can read might have said no.
    if (values === undefined) return { enabled: false, tokens: 0, prompts: false, language: "en" };
    return { ...values.inject, language: languageOf(values.locale, env) };
  };
}
