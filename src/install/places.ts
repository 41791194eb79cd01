// Where Claude Code keeps its settings, by scope.
import path from "node:path";
import type { Environment } from "../home/index.ts";
import type { Scope } from "./receipt.ts";

export interface ClaudePlaces {
  /** `~/.claude`, or what CLAUDE_CONFIG_DIR names. */
  readonly configFolder: string;
  /** The folder that the project's settings are for. */
  readonly projectFolder: string;
  /** Where the agent keeps its own state, its user's MCP servers among it. */
  readonly userFile?: string;
  /** The administrator's settings, where there can be any. */
  readonly managedFile?: string;
}

/** Where the administrator of a machine puts settings that nobody can override. */
function managedSettingsFile(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode/managed-settings.json";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode\\managed-settings.json";
  return "/etc/claude-code/managed-settings.json";
}

export interface SettingsPlace {
  readonly file: string;
  /** Modes of the file and its folder, should they have to be made. */
  readonly fileMode: number;
  readonly folderMode: number;
}

export function claudePlaces(env: Environment, homeFolder: string, cwd: string): ClaudePlaces {
  return {
    configFolder: env.CLAUDE_CONFIG_DIR || path.join(homeFolder, ".claude"),
    projectFolder: cwd,
    userFile: path.join(env.CLAUDE_CONFIG_DIR || homeFolder, ".claude.json"),
    managedFile: managedSettingsFile(process.platform),
  };
}

export function settingsPlace(scope: Scope, { configFolder, projectFolder }: ClaudePlaces): SettingsPlace {
  const own = { fileMode: 0o600, folderMode: 0o700 };
  // What a project shares is for others to read, like everything beside it.
  const shared = { fileMode: 0o644, folderMode: 0o755 };
  if (scope === "user") return { file: path.join(configFolder, "settings.json"), ...own };
  const name = scope === "project" ? "settings.json" : "settings.local.json";
  return { file: path.join(projectFolder, ".claude", name), ...shared };
}
