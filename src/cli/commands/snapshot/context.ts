// What every snapshot command works with: the project, the settings in effect there, and the vault that keeps what goes.
import path from "node:path";
import { loadConfig } from "../../../config/index.ts";
import { type Home, languageOf, vaultFolder } from "../../../home/index.ts";
import type { SnapshotSettings, StartOptions } from "../../../snapshot/index.ts";
import { openVault, type Vault } from "../../../vault/index.ts";
import { surroundings } from "../../surroundings.ts";

export const projectArgument = {
  project: {
    type: "string",
    valueHint: "folder",
    description: "the folder that the agent is started in; this one unless given",
  },
} as const;

interface Here {
  readonly home: Home;
  readonly project: string;
  readonly settings: SnapshotSettings;
  readonly vault: Vault;
  readonly keep: StartOptions["keep"];
}

export function here(folder: string | undefined): Here {
  const { home, cwd, env } = surroundings();
  const project = path.resolve(cwd, folder ?? ".");
  const { locale, snapshot } = loadConfig({ home, cwd: project, env }).values;
  const vault = openVault(vaultFolder(home));
  return {
    home,
    project,
    settings: { ...snapshot, language: languageOf(locale, env) },
    vault,
    keep: (bytes, { session = "unknown", name }) => {
      vault.put(bytes, { session, level: "snapshot", note: name });
    },
  };
}
