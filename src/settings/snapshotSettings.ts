// The settings for snapshots in a folder: those of its project, or the user's where a project's file cannot be read.
import type { Config } from "../config/index.ts";
import { type Environment, type Home, languageOf, type SnapshotRules } from "../home/index.ts";
import type { SnapshotSettings } from "../snapshot/index.ts";
import { readableSettings } from "./readableSettings.ts";

const fallback: Pick<Config, "locale" | "snapshot"> = {
  locale: "auto",
  snapshot: { enabled: true, hours: 2, messages: 20, reference: "CLAUDE.md" },
};

/** Without a folder, what holds everywhere. */
export function snapshotSettings(
  home: Home,
  env: Environment,
): (project?: string) => SnapshotSettings & Pick<SnapshotRules, "enabled"> {
  return (project) => {
    const { locale, snapshot } =
      readableSettings({ home, cwd: project, env }) ?? readableSettings({ home, env }) ?? fallback;
    return { ...snapshot, language: languageOf(locale, env) };
  };
}
