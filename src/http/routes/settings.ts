// Settings for those who ask over HTTP: what is in effect and where it comes from, and changes to the user's own file.
import { configFiles, loadConfig, setSetting, settings, unsetSetting } from "../../config/index.ts";
import { type Environment, type Home, type Language, languageOf } from "../../home/index.ts";
import { readableSettings } from "../../settings/index.ts";
import type { SettingsAccess } from "../settingsRoutes.ts";

interface SettingsSource {
  readonly home: Home;
  readonly env: Environment;
  /** Called after a change, with nothing but the knowledge that there was one. */
  readonly onChange: () => void;
}

/** The language that the user's own settings ask for; a file that cannot be read asks for none. */
export function userLanguage(home: Home, env: SettingsSource["env"]): Language {
  return languageOf(readableSettings({ home, env })?.locale ?? "auto", env);
}

export function settingsAccess({ home, env, onChange }: SettingsSource): SettingsAccess {
  // Settings of the user's own file are found from anywhere.
  const cwd = home.config;
  const read = (): object => ({
    file: configFiles(home, cwd).user.file,
    settings: loadConfig({ home, env }).origins,
    known: settings,
  });
  return {
    read,
    change(changes) {
      const texts = Object.entries(changes).map(([key, value]) => [
        key,
        value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const flags: Record<string, string | undefined> = Object.fromEntries(texts);
      // As flags they are checked all together before the first is written: one mistake changes nothing.
      loadConfig({ home, env, flags });
      const target = { home, cwd, scope: "user" } as const;
      const changed = Object.entries(flags).map(([key, text]) =>
        text === undefined ? unsetSetting(target, key) : setSetting(target, key, text),
      );
      onChange();
      return { changed };
    },
    testProvider: async () => {
      // Loaded when it is asked for: hardly anybody asks.
      const { testProvider } = await import("../providerTest.ts");
      return testProvider(loadConfig({ home, env }).values, { home, env });
    },
  };
}
