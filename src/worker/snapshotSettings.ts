// The settings for snapshots in a folder: those of its project, or the user's where a project's file cannot be read.
import { type Config, loadConfig } from "../config/index.ts";
import { type Environment, type Home, languageOf, type SnapshotRules } from "../lib/index.ts";
import type { SnapshotSettings } from "../snapshot/index.ts";
import { neutralFolder } from "./settingsAccess.ts";

const fallback: Pick<Config, "locale" | "snapshot"> = {
  locale: "auto",
  snapshot: { enabled: true, hours: 2, messages: 20, reference: "CLAUDE.md" },
};

function valuesFor(
  home: Home,
  cwd: string,
  env: Environment,
): Pick<Config, "locale" | "snapshot"> | undefined {
  try {
    return loadConfig({ home, cwd, env }).values;
  } catch {
    // Told elsewhere: the worker logs what is wrong with the user's file, a command what is wrong with a project's.
    return undefined;
  }
}

/** Without a folder, what holds everywhere. */
export function snapshotSettings(
  home: Home,
  env: Environment,
): (project?: string) => SnapshotSettings & Pick<SnapshotRules, "enabled"> {
  return (project) => {
    const everywhere = neutralFolder(home);
    const { locale, snapshot } =
      valuesFor(home, project ?? everywhere, env) ?? valuesFor(home, everywhere, env) ?? fallback;
    return { ...snapshot, language: languageOf(locale, env) };
  };
}
