// Applies an installation: backup, receipt, settings, a check of the result, and the state that hooks read.

import { existsSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Home, type RuntimeState, runtimeFile } from "../home/index.ts";
import {
  defined,
  present,
  removeFile,
  sha256,
  ThroughlineError,
  writeFileAtomic,
  writeJson,
} from "../lib/index.ts";
import { bundles, type HookProgram, hookGroups } from "./hookTable.ts";
import { isWhole } from "./ownFile.ts";
import {
  type ClaudePlaces,
  ownServers,
  SERVER_NAME,
  type ServerProgram,
  type SettingsPlace,
  serverEntry,
  serverPlace,
  settingsPlace,
} from "./places.ts";
import { type Plan, planInstall, planServer } from "./plan.ts";
import {
  type Installation,
  isSame,
  readReceipt,
  type Scope,
  type Step,
  withInstallation,
  writeReceipt,
} from "./receipt.ts";
import {
  checkWritable,
  isPlainJson,
  makeFolder,
  openSettings,
  readSettings,
  removeEmptyFolders,
  replaceSettings,
  type SettingsFile,
  settingsValue,
  sweepTemporary,
} from "./settingsFile.ts";
import { isOwnStatusLine, STATUS_LINE, type StatusProgram } from "./statusLine.ts";

export interface InstallRequest {
  readonly home: Home;
  readonly scope: Scope;
  readonly claude: ClaudePlaces;
  readonly program: HookProgram;
  /** The state that hooks read; its version is the one that installs. */
  readonly runtime: RuntimeState;
  /** Environment variables that hooks need and Claude Code does not set. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the mod, if it is to be loaded too. */
  readonly modFolder?: string;
  /** The status line: as it is, unless a person asks for it. */
  readonly statusLine?: StatusProgram & { readonly isWanted: boolean };
}

/** One file that an installation into another agent edits. */
export interface FileEdit {
  /** The agent, by the name of its adapter. */
  readonly agent: string;
  readonly lane: Installation["lane"];
  readonly place: SettingsPlace;
  /** From the text of the file to the text that is wanted; throws where the file cannot be edited safely. */
  readonly plan: (text: string) => Plan;
  readonly notes?: readonly string[];
}

export interface PreparedInstall {
  readonly request: Pick<InstallRequest, "home" | "scope" | "runtime">;
  /** The agent whose file it is; absent for Claude Code. */
  readonly agent?: string;
  readonly place: SettingsPlace;
  readonly settings: SettingsFile;
  readonly plan: Plan;
  readonly lane: Installation["lane"];
  readonly state: "new" | "update" | "current";
  /** What the user should know before saying yes. */
  readonly notes: readonly string[];
}

function checkBundles({ bundleFile }: HookProgram) {
  const missing = bundles.map(bundleFile).find((file) => !existsSync(file));
  if (missing === undefined) return;
  throw new ThroughlineError(
    "not-found",
    `${missing} does not exist`,
    "install the package again (in a clone: `npm run build`)",
  );
}

function notesOn(scope: Scope, file: string, text: string) {
  const reading = readSettings(text);
  const off = reading.ok && reading.value.disableAllHooks === true;
  return present([
    !isPlainJson(text) && `${file} has comments or trailing commas; Claude Code ignores all of it`,
    off && `${file} sets disableAllHooks: no hook runs until you remove that`,
    scope === "project" &&
      "this file is usually shared, and the entries name paths of this machine; --scope local is for you alone",
  ]);
}

function readValue(text: string) {
  const reading = readSettings(text);
  return reading.ok ? reading.value : undefined;
}

/** Reads and plans; changes nothing. Throws when the settings cannot be edited safely. */
export function prepareInstall(request: InstallRequest): PreparedInstall {
  checkBundles(request.program);
  const place = settingsPlace(request.scope, request.claude);
  const settings = openSettings(place.file, place.fileMode);
  const { env, modFolder, statusLine: line } = request;
  const isThere = isOwnStatusLine(readValue(settings.text)?.[STATUS_LINE]);
  const statusLine = line && (line.isWanted || isThere) ? { node: line.node, cli: line.cli } : undefined;
  const wanted = defined({ groups: hookGroups(request.program), env, modFolder, statusLine });
  const plan = planInstall(settings.text, place.file, wanted);
  const lane = modFolder === undefined ? "hooks" : "mods";
  const notes = notesOn(request.scope, place.file, settings.text);
  return { request, place, settings, plan, lane, state: stateOf(plan, settings), notes };
}

/** Throws when there is something to change in a read-only file. */
function stateOf({ changes }: Plan, settings: SettingsFile) {
  if (changes.length === 0) return "current";
  checkWritable(settings);
  return changes.some(({ before }) => before !== undefined) ? "update" : "new";
}

/** The same for a file of another agent. */
export function prepareEdit(
  request: Pick<InstallRequest, "home" | "runtime">,
  { agent, lane, place, plan: planFile, notes = [] }: FileEdit,
): PreparedInstall {
  const settings = openSettings(place.file, place.fileMode);
  const plan = planFile(settings.text);
  const state = stateOf(plan, settings);
  return { request: { ...request, scope: "user" }, agent, place, settings, plan, lane, state, notes };
}

/** The same for our entry among the agent's MCP servers. Undefined if the agent's file is not known. */
export function prepareServer(request: InstallRequest, program: ServerProgram): PreparedInstall | undefined {
  const place = serverPlace(request.scope, request.claude);
  if (place === undefined) return undefined;
  const settings = openSettings(place.file, place.fileMode);
  const plan = planServer(settings.text, place.file, place.path, serverEntry(program));
  const state = stateOf(plan, settings);
  const isTaken = !ownServers(settingsValue(plan.after, place.file)).some((at) =>
    isDeepStrictEqual(at, place.path),
  );
  const notes = isTaken ? [`${place.file} has another server named ${SERVER_NAME}, which stays`] : [];
  return { request, place, settings, plan, lane: "mcp", state, notes };
}

export const backupFolder = (home: Home) => path.join(home.data, "backups");

/** A copy of the settings as they are; undefined when there is no file to copy. */
export function backUp(
  home: Home,
  { scope, agent }: Pick<Installation, "scope" | "agent">,
  settings: SettingsFile,
  now: Date,
) {
  if (!settings.exists) return undefined;
  const stamp = now.toISOString().replaceAll(/[-:.]/g, "");
  const extension = agent === undefined ? ".json" : path.extname(settings.file);
  const name =
    agent === undefined ? `claude-settings-${scope}` : `${agent}-${path.basename(settings.file, extension)}`;
  const base = path.join(backupFolder(home), `${name}-${stamp}`);
  let file = `${base}${extension}`;
  for (let copy = 2; existsSync(file); copy++) file = `${base}-${copy}${extension}`;
  writeFileAtomic(file, settings.text);
  return file;
}

function recorded(prepared: PreparedInstall, now: Date, backup: string | undefined) {
  const { request, plan, settings } = prepared;
  const same = { scope: request.scope, file: settings.file };
  const earlier = readReceipt(request.home).installations.find((one) => isSame(one, same));
  const step: Step = defined({
    at: now.toISOString(),
    version: request.runtime.version,
    before: sha256(plan.before),
    after: sha256(plan.after),
    changes: [...plan.changes],
    splices: [...plan.splices],
    backup,
  });
  return {
    ...same,
    ...defined({ agent: prepared.agent }),
    lane: prepared.lane,
    created: earlier?.created ?? !settings.exists,
    made: [...new Set([...(earlier?.made ?? []), ...plan.made])],
    steps: [...(earlier?.steps ?? []), step],
  };
}

export const isToml = (file: string) => path.extname(file) === ".toml";

/** What hooks read at every start instead of settings. */
function writeRuntime(home: Home, runtime: RuntimeState) {
  writeJson(runtimeFile(home), runtime, 2);
}

/**
 * Applies what was prepared. The receipt is written before the settings: a process killed in between leaves a step
 * that was never applied, which uninstalling skips.
 */
export function carryOutInstall(prepared: PreparedInstall, now: Date): { file: string; backup?: string } {
  const { request, place, settings, plan } = prepared;
  const { home } = request;
  const receipt = readReceipt(home);
  const isCurrent = prepared.state === "current";
  const made = [
    ...makeFolder(home.data, 0o700),
    ...makeFolder(home.state, 0o700),
    ...(isCurrent ? [] : makeFolder(path.dirname(settings.real), place.folderMode)),
  ];
  const known = { ...receipt, folders: [...new Set([...receipt.folders, ...made])] };
  if (isCurrent) {
    writeReceipt(home, known);
    writeRuntime(home, request.runtime);
    return { file: place.file };
  }
  const backup = backUp(home, { scope: request.scope, ...defined({ agent: prepared.agent }) }, settings, now);
  const installation = recorded(prepared, now, backup);
  writeReceipt(home, withInstallation(known, installation, installation));
  try {
    sweepTemporary(settings.real);
    replaceSettings(settings, plan.after);
  } catch (error) {
    writeReceipt(home, known);
    if (backup !== undefined) removeFile(backup);
    removeEmptyFolders([backupFolder(home), ...made]);
    throw error;
  }
  const written = openSettings(place.file, place.fileMode).text;
  if (!isToml(place.file) && !isWhole(place.file)) settingsValue(written, place.file);
  writeRuntime(home, request.runtime);
  return { file: place.file, ...defined({ backup }) };
}
