// Applies an installation (backup, receipt, settings, a check of the result, the state that hooks read) and removes it: exactly our entries, and a file that nothing else wrote to is restored byte for byte.

import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Home, type RuntimeState, runtimeFile } from "../home/index.ts";
import {
  defined,
  present,
  removeFile,
  removeTree,
  sha256,
  ThroughlineError,
  writeFileAtomic,
  writeJson,
} from "../lib/index.ts";
import { bundles, type HookProgram, hookGroups, ownCommands } from "./hookTable.ts";
import {
  type ClaudePlaces,
  isServerPath,
  ownServers,
  SERVER_NAME,
  type ServerProgram,
  type SettingsPlace,
  serverEntry,
  serverPlace,
  settingsPlace,
} from "./places.ts";
import { type Plan, pathOf, planInstall, planServer, planUninstall, pointerOf } from "./plan.ts";
import {
  type Change,
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
}

export interface PreparedInstall {
  readonly request: InstallRequest;
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

/** Reads and plans; changes nothing. Throws when the settings cannot be edited safely. */
export function prepareInstall(request: InstallRequest): PreparedInstall {
  checkBundles(request.program);
  const place = settingsPlace(request.scope, request.claude);
  const settings = openSettings(place.file, place.fileMode);
  const { env, modFolder } = request;
  const wanted = defined({ groups: hookGroups(request.program), env, modFolder });
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

const backupFolder = (home: Home) => path.join(home.data, "backups");

/** A copy of the settings as they are; undefined when there is no file to copy. */
function backUp(home: Home, scope: Scope, settings: SettingsFile, now: Date) {
  if (!settings.exists) return undefined;
  const stamp = now.toISOString().replaceAll(/[-:.]/g, "");
  const base = path.join(backupFolder(home), `claude-settings-${scope}-${stamp}`);
  let file = `${base}.json`;
  for (let copy = 2; existsSync(file); copy++) file = `${base}-${copy}.json`;
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
    lane: prepared.lane,
    created: earlier?.created ?? !settings.exists,
    made: [...new Set([...(earlier?.made ?? []), ...plan.made])],
    steps: [...(earlier?.steps ?? []), step],
  };
}

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
  const backup = backUp(home, request.scope, settings, now);
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
  settingsValue(openSettings(place.file, place.fileMode).text, place.file);
  writeRuntime(home, request.runtime);
  return { file: place.file, ...defined({ backup }) };
}

/** The variables and servers that an installation set, with what they were before it. */
function valueChanges({ steps }: Pick<Installation, "steps">) {
  const changes = steps
    .flatMap((step) => step.changes)
    .filter(({ pointer }) => pathOf(pointer)[0] === "env" || isServerPath(pathOf(pointer)));
  const byPointer = new Map<string, Change>();
  for (const change of changes) {
    byPointer.set(change.pointer, { ...(byPointer.get(change.pointer) ?? change), after: change.after });
  }
  return [...byPointer.values()];
}

export interface Removal {
  readonly scope: Scope;
  readonly settings: SettingsFile;
  readonly plan: Plan;
  /** The file has only our entries and is deleted. */
  readonly deletes: boolean;
  /** The file becomes what it was before the first installation, byte for byte. */
  readonly exact: boolean;
  readonly installation?: Installation;
}

/** Our servers that no receipt names. */
function strayServers({ text }: SettingsFile): Change[] {
  const reading = readSettings(text);
  return reading.ok ? ownServers(reading.value).map((at) => ({ pointer: pointerOf(at) })) : [];
}

function planFor(scope: Scope, settings: SettingsFile, installation: Installation | undefined): Removal {
  const plan = planUninstall(settings.text, settings.file, {
    ...(installation && { made: installation.made }),
    env: installation === undefined ? strayServers(settings) : valueChanges(installation),
    steps: installation?.steps ?? [],
  });
  const original = installation?.steps[0]?.before;
  const deletes = settings.exists && installation?.created === true && plan.after === "";
  return defined({ scope, settings, plan, deletes, exact: original === sha256(plan.after), installation });
}

/** Our entries that no receipt names, recognised by the programs they run. */
function strays(claude: ClaudePlaces, scopes: readonly Scope[], known: ReadonlySet<string>): Removal[] {
  const places = scopes.flatMap((scope) =>
    [settingsPlace(scope, claude), serverPlace(scope, claude)].flatMap((place) =>
      place === undefined ? [] : { scope, ...place },
    ),
  );
  const others = new Map(places.filter(({ file }) => !known.has(file)).map((place) => [place.file, place]));
  return [...others.values()].flatMap(({ scope, file, fileMode }) => {
    const settings = openSettings(file, fileMode);
    const reading = readSettings(settings.text);
    if (!reading.ok || ownCommands(reading.value).length + ownServers(reading.value).length === 0) return [];
    return [planFor(scope, settings, undefined)];
  });
}

/** Reads and plans; changes nothing. An installation in another project's folder is found by its receipt. */
export function prepareUninstall({
  home,
  claude,
  scopes,
}: {
  home: Home;
  claude: ClaudePlaces;
  scopes: readonly Scope[];
}): Removal[] {
  const installations = readReceipt(home).installations.filter(({ scope }) => scopes.includes(scope));
  const planned = installations.map((one) => planFor(one.scope, openSettings(one.file, 0o600), one));
  const removals = [...planned, ...strays(claude, scopes, new Set(installations.map(({ file }) => file)))];
  for (const { settings, plan } of removals) if (plan.after !== plan.before) checkWritable(settings);
  return removals;
}

export interface Removed {
  readonly file: string;
  readonly outcome: "restored" | "deleted" | "edited" | "unchanged";
  readonly backup?: string;
}

function carryOutOne(home: Home, removal: Removal, now: Date): Removed {
  const { settings, plan, installation, deletes, exact } = removal;
  const { file } = settings;
  sweepTemporary(settings.real);
  const changed = plan.after !== plan.before;
  const backup = changed && !exact ? backUp(home, removal.scope, settings, now) : undefined;
  if (deletes) rmSync(settings.real);
  else if (changed) replaceSettings(settings, plan.after);
  if (exact) {
    for (const step of installation?.steps ?? []) if (step.backup) removeFile(step.backup);
  }
  const outcome = deletes ? "deleted" : !changed ? "unchanged" : exact ? "restored" : "edited";
  return { file, outcome, ...defined({ backup }) };
}

/** Applies removals. `keepRuntime`: other hooks, such as the plugin's, still read the runtime state. */
export function carryOutUninstall(
  home: Home,
  removals: readonly Removal[],
  now: Date,
  { keepRuntime = false } = {},
): Removed[] {
  const { folders } = readReceipt(home);
  const edited = new Set<string>();
  const done = removals.map((removal) => {
    const { file } = removal.settings;
    // After another scope's entry was removed from the same file, the plan is stale.
    const isStale = edited.has(file);
    edited.add(file);
    const current = isStale
      ? planFor(removal.scope, openSettings(file, 0o600), removal.installation)
      : removal;
    const removed = carryOutOne(home, current, now);
    writeReceipt(home, withInstallation(readReceipt(home), { file, scope: removal.scope }));
    return removed;
  });
  const isLast = readReceipt(home).installations.length === 0;
  if (isLast && !keepRuntime) removeFile(runtimeFile(home));
  removeEmptyFolders([backupFolder(home), ...folders]);
  return done;
}

/** Deletes everything that Throughline stored, its own settings included. */
export function purgeData(home: Home, folders: readonly string[]) {
  const kept = [home.config, home.data, home.state].filter((folder) => existsSync(folder));
  for (const folder of kept) removeTree(folder);
  removeEmptyFolders(folders);
  return kept;
}
