// Settings for those who ask over HTTP: what is in effect and where it comes from, and changes to the user's own file.
import path from "node:path";
import { configFiles, loadConfig, setSetting, settings, unsetSetting } from "../config/index.ts";
import { type Environment, type Home, type Language, languageOf, ThroughlineError } from "../lib/index.ts";
import type { SettingsAccess } from "./http/settingsRoutes.ts";

interface SettingsSource {
  readonly home: Home;
  readonly env: Environment;
  /** Called after a change, with nothing but the knowledge that there was one. */
  readonly onChange: () => void;
}

/** The worker serves every project and so reads the file of none: it stands in no folder of work. */
export function neutralFolder(home: Home): string {
  return path.parse(path.resolve(home.state)).root;
}

/** The language that the user's own settings ask for; a file that cannot be read asks for none. */
export function userLanguage(home: Home, env: SettingsSource["env"]): Language {
  try {
    return languageOf(loadConfig({ home, cwd: neutralFolder(home), env }).values.locale, env);
  } catch (error) {
    if (error instanceof ThroughlineError) return languageOf("auto", env);
    throw error;
  }
}

export function settingsAccess({ home, env, onChange }: SettingsSource): SettingsAccess {
  const cwd = neutralFolder(home);
  const read = (): object => ({
    file: configFiles(home, cwd).user.file,
    settings: loadConfig({ home, cwd, env }).origins,
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
      loadConfig({ home, cwd, env, flags });
      const target = { home, cwd, scope: "user" } as const;
      const changed = Object.entries(flags).map(([key, text]) =>
        text === undefined ? unsetSetting(target, key) : setSetting(target, key, text),
      );
      onChange();
      return { changed };
    },
    testProvider: async () => {
      // Loaded when it is asked for: hardly anybody asks.
      const { testProvider } = await import("./providerTest.ts");
      return testProvider(loadConfig({ home, cwd, env }).values, { home, env });
    },
  };
}
