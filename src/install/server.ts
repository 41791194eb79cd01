// Our entry among the MCP servers of Claude Code: where it stands, what it says, and how to tell it from another's.
import path from "node:path";
import type { JsonPath } from "../jsonc/index.ts";
import { isObject, type JsonObject } from "../lib/index.ts";
import type { ClaudePlaces, SettingsPlace } from "./places.ts";
import type { Scope } from "./receipt.ts";

export const SERVER_NAME = "throughline";
const SERVERS = "mcpServers";

interface ServerPlace extends SettingsPlace {
  readonly path: JsonPath;
}

/** Servers do not stand in settings: the agent keeps its user's among its own state, a project's in a file of their own. */
export function serverPlace(
  scope: Scope,
  { userFile, projectFolder }: ClaudePlaces,
): ServerPlace | undefined {
  const own = [SERVERS, SERVER_NAME];
  if (scope === "project") {
    const file = path.join(projectFolder, ".mcp.json");
    return { file, fileMode: 0o644, folderMode: 0o755, path: own };
  }
  if (userFile === undefined) return undefined;
  const place = { file: userFile, fileMode: 0o600, folderMode: 0o700 };
  return { ...place, path: scope === "user" ? own : ["projects", projectFolder, ...own] };
}

export interface ServerProgram {
  readonly node: string;
  /** The command line's own file. */
  readonly cli: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As the agent itself writes an entry, so that it does not rewrite ours. */
export function serverEntry({ node, cli, env }: ServerProgram): JsonObject {
  return { type: "stdio", command: node, args: [cli, "mcp"], env };
}

const ownProgram = /(^|[\\/])dist[\\/]cli\.js$/;

export function isOwnServer(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value.args)) return false;
  const [program, word]: unknown[] = value.args;
  return typeof program === "string" && ownProgram.test(program) && word === "mcp";
}

/** The places of our entries in the value of a file. */
export function ownServers(value: unknown): string[][] {
  const inside = (holder: unknown, at: readonly string[]): string[][] => {
    const servers = isObject(holder) ? holder[SERVERS] : undefined;
    const isOurs = isObject(servers) && isOwnServer(servers[SERVER_NAME]);
    return isOurs ? [[...at, SERVERS, SERVER_NAME]] : [];
  };
  const projects = isObject(value) && isObject(value.projects) ? Object.entries(value.projects) : [];
  return [...inside(value, []), ...projects.flatMap(([name, one]) => inside(one, ["projects", name]))];
}

/** A place among the servers, by its path. */
export const isServerPath = (at: readonly string[]): boolean =>
  at.at(-1) === SERVER_NAME && at.at(-2) === SERVERS;
