// The settings for what a session is told in a folder: those of its project, or the user's where a project's file cannot be read.
import { type Environment, type Home, languageOf } from "../home/index.ts";
import { readableSettings } from "../settings/index.ts";
import type { InjectSettings } from "./answers.ts";

export function injectSettings(home: Home, env: Environment): (folder: string) => InjectSettings {
  return (folder) => {
    const values = readableSettings({ home, cwd: folder, env }) ?? readableSettings({ home, env });
    // Settings that nobody can read might have said no.
    if (values === undefined) return { enabled: false, tokens: 0, prompts: false, language: "en" };
    return { ...values.inject, language: languageOf(values.locale, env) };
  };
}
