// Removes an installation: exactly our entries. A file that nothing else wrote to is restored byte for byte.
import { existsSync, rmSync } from "node:fs";
import { type Home, runtimeFile } from "../home/index.ts";
import { defined, sha256 } from "../lib/index.ts";
import { ownCommands } from "./hookTable.ts";
import { backUp, backupFolder, valueChanges } from "./install.ts";
import { type ClaudePlaces, ownServers, serverPlace, settingsPlace } from "./places.ts";
import { type Plan, planUninstall, pointerOf } from "./plan.ts";
import {
  type Change,
  type Installation,
  readReceipt,
  type Scope,
  withInstallation,
  writeReceipt,
} from "./receipt.ts";
import {
  checkWritable,
  openSettings,
  readSettings,
  removeEmptyFolders,
  replaceSettings,
  type SettingsFile,
  sweepTemporary,
} from "./settingsFile.ts";

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
    for (const step of installation?.steps ?? []) if (step.backup) rmSync(step.backup, { force: true });
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
  if (isLast && !keepRuntime) rmSync(runtimeFile(home), { force: true });
  removeEmptyFolders([backupFolder(home), ...folders]);
  return done;
}

/** Deletes everything that Throughline stored, its own settings included. */
export function purgeData(home: Home, folders: readonly string[]): string[] {
  const kept = [home.config, home.data, home.state].filter((folder) => existsSync(folder));
  for (const folder of kept) rmSync(folder, { recursive: true, force: true });
  removeEmptyFolders(folders);
  return kept;
}
