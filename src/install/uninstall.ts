// Removes an installation: exactly our entries; a file that nothing else wrote to is restored byte for byte.
import { existsSync, rmSync } from "node:fs";
import { type Home, runtimeFile } from "../home/index.ts";
import { defined, removeFile, removeTree, sha256 } from "../lib/index.ts";
import { ownCommands } from "./hookTable.ts";
import { backUp, backupFolder, isToml } from "./install.ts";
import { isWhole, planOwnFileRemoval } from "./ownFile.ts";
import { type ClaudePlaces, isServerPath, ownServers, serverPlace, settingsPlace } from "./places.ts";
import { type Plan, pathOf, planUninstall, pointerOf, stepBack } from "./plan.ts";
import {
  type Change,
  type Installation,
  readReceipt,
  type Scope,
  type Step,
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
import { planTableRemoval } from "./tomlFile.ts";

/** The name of Claude Code among the agents; receipts leave it out. */
const CLAUDE_CODE = "claude-code";

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

/** A file of tables: restored where nothing else was written since, else without the tables that were recorded. */
function planTomlRemoval({ text }: SettingsFile, steps: readonly Step[]): Plan {
  const { text: earlier, left } = stepBack(text, steps);
  const rest = planTableRemoval(
    earlier,
    left.flatMap(({ changes }) => changes),
  );
  const { changes } = planTableRemoval(
    text,
    steps.flatMap((step) => step.changes),
  );
  return { ...rest, before: text, changes, splices: [] };
}

function removalPlan(settings: SettingsFile, installation: Installation | undefined) {
  if (isWhole(settings.file)) return planOwnFileRemoval(settings.text, installation?.steps ?? []);
  if (isToml(settings.file)) return planTomlRemoval(settings, installation?.steps ?? []);
  return planUninstall(settings.text, settings.file, {
    ...(installation && { made: installation.made }),
    env: installation === undefined ? strayServers(settings) : valueChanges(installation),
    steps: installation?.steps ?? [],
  });
}

function planFor(scope: Scope, settings: SettingsFile, installation: Installation | undefined): Removal {
  const plan = removalPlan(settings, installation);
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
  agent,
}: {
  home: Home;
  claude: ClaudePlaces;
  scopes: readonly Scope[];
  /** Only what was installed into this agent; into all of them unless given. */
  agent?: string;
}): Removal[] {
  const isMeant = (one: Installation) => agent === undefined || (one.agent ?? CLAUDE_CODE) === agent;
  const installations = readReceipt(home).installations.filter(
    (one) => scopes.includes(one.scope) && isMeant(one),
  );
  const planned = installations.map((one) => planFor(one.scope, openSettings(one.file, 0o600), one));
  const known = new Set(installations.map(({ file }) => file));
  const stray = agent === undefined || agent === CLAUDE_CODE ? strays(claude, scopes, known) : [];
  const removals = [...planned, ...stray];
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
  const { scope } = removal;
  const owner = { scope, ...defined({ agent: installation?.agent }) };
  const backup = changed && !exact ? backUp(home, owner, settings, now) : undefined;
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
