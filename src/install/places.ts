// Where Claude Code keeps its settings, plugin folders and MCP servers, and which entries there are ours.
import path, { delimiter } from "node:path";
import type { Environment } from "../home/index.ts";
import type { JsonPath } from "../jsonc/index.ts";
import { isObject, type JsonObject, present } from "../lib/index.ts";
import type { Scope } from "./receipt.ts";

export interface ClaudePlaces {
  /** `~/.claude`, or what CLAUDE_CONFIG_DIR names. */
  readonly configFolder: string;
  /** The folder that the project's settings are for. */
  readonly projectFolder: string;
  /** The agent's own state, which has the user's MCP servers. */
  readonly userFile?: string;
  /** The administrator's settings. */
  readonly managedFile?: string;
}

/** The administrator's settings, which override all others. */
function managedSettingsFile(platform: NodeJS.Platform) {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode/managed-settings.json";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode\\managed-settings.json";
  return "/etc/claude-code/managed-settings.json";
}

export interface SettingsPlace {
  readonly file: string;
  /** Modes of the file and its folder, if they have to be created. */
  readonly fileMode: number;
  readonly folderMode: number;
}

const privateModes = { fileMode: 0o600, folderMode: 0o700 };
/** A project's file is shared like the files beside it. */
const sharedModes = { fileMode: 0o644, folderMode: 0o755 };

export function claudePlaces(env: Environment, homeFolder: string, cwd: string): ClaudePlaces {
  return {
    configFolder: env.CLAUDE_CONFIG_DIR || path.join(homeFolder, ".claude"),
    projectFolder: cwd,
    userFile: path.join(env.CLAUDE_CONFIG_DIR || homeFolder, ".claude.json"),
    managedFile: managedSettingsFile(process.platform),
  };
}

export function settingsPlace(scope: Scope, { configFolder, projectFolder }: ClaudePlaces): SettingsPlace {
  if (scope === "user") return { file: path.join(configFolder, "settings.json"), ...privateModes };
  const name = scope === "project" ? "settings.json" : "settings.local.json";
  return { file: path.join(projectFolder, ".claude", name), ...sharedModes };
}

/** Lists the folders from which Claude Code loads plugins; only in the user's own settings. */
export const PLUGIN_FOLDERS = "CLAUDE_CODE_PLUGIN_DIRS";

const ownMod = /(^|[\\/])plugin[\\/]mods[\\/]?$/;

const splitFolders = (value: unknown) =>
  typeof value === "string" ? value.split(delimiter).filter((folder) => folder !== "") : [];

/** The folders in a value of the variable that are not ours. */
export function otherFolders(value: unknown) {
  return splitFolders(value).filter((folder) => !ownMod.test(folder));
}

/** Our folder among them. */
export function modFolderIn(value: unknown) {
  return splitFolders(value).find((folder) => ownMod.test(folder));
}

/** The value with our folder in it once, or without ours when none is given. Undefined when the list is empty. */
export function withMod(value: unknown, folder: string | undefined) {
  if (folder === undefined && modFolderIn(value) === undefined) return value;
  const folders = present([...otherFolders(value), folder]);
  return folders.length === 0 ? undefined : folders.join(delimiter);
}

export const SERVER_NAME = "throughline";
const SERVERS = "mcpServers";

/** MCP servers are not in the settings: the user's are in the agent's state file, a project's in a file of its own. */
export function serverPlace(
  scope: Scope,
  { userFile, projectFolder }: ClaudePlaces,
): (SettingsPlace & { readonly path: JsonPath }) | undefined {
  const own = [SERVERS, SERVER_NAME];
  if (scope === "project") return { file: path.join(projectFolder, ".mcp.json"), ...sharedModes, path: own };
  if (userFile === undefined) return undefined;
  return {
    file: userFile,
    ...privateModes,
    path: scope === "user" ? own : ["projects", projectFolder, ...own],
  };
}

export interface ServerProgram {
  readonly node: string;
  /** The file of the command line. */
  readonly cli: string;
  /** A shell, and the script for it that answers the handshake and starts Node for the first call of a tool. */
  readonly shell?: { readonly program: string; readonly script: string };
  readonly env: Readonly<Record<string, string>>;
}

/** In the form in which the agent writes entries, so that it does not rewrite ours. */
export function serverEntry({ node, cli, shell, env }: ServerProgram): JsonObject {
  if (shell === undefined) return { type: "stdio", command: node, args: [cli, "mcp"], env };
  return { type: "stdio", command: shell.program, args: [shell.script, node, cli], env };
}

const ownProgramPath = /(^|[\\/])dist[\\/]cli\.js$/;
const ownScriptPath = /(^|[\\/])dist[\\/]mcp\.sh$/;

export function isOwnServer(value: unknown) {
  if (!isObject(value) || !Array.isArray(value.args)) return false;
  const [program, word]: unknown[] = value.args;
  if (typeof program !== "string") return false;
  return ownScriptPath.test(program) || (ownProgramPath.test(program) && word === "mcp");
}

/** The paths of our entries in the value of a file. */
export function ownServers(value: unknown) {
  const inside = (holder: unknown, at: readonly string[]) => {
    const servers = isObject(holder) ? holder[SERVERS] : undefined;
    const isOurs = isObject(servers) && isOwnServer(servers[SERVER_NAME]);
    return isOurs ? [[...at, SERVERS, SERVER_NAME]] : [];
  };
  const projects = isObject(value) && isObject(value.projects) ? Object.entries(value.projects) : [];
  return [...inside(value, []), ...projects.flatMap(([name, one]) => inside(one, ["projects", name]))];
}

/** Whether a path is that of our server. */
export const isServerPath = (at: readonly string[]) => at.at(-1) === SERVER_NAME && at.at(-2) === SERVERS;
