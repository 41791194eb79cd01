// Installation into Claude Code: plans changes, applies them, undoes them by a receipt, and diagnoses an installation.
export { collectFacts, makeChecks, modFacts, pluginIsOn } from "./collect.ts";
export { diagnose } from "./diagnose.ts";
export { lineDiff } from "./diff.ts";
export type { Complaint, Facts, WorkerReply } from "./facts.ts";
export { type Finding, findingKinds, type Repair } from "./findings.ts";
export {
  bundles,
  type HookGroups,
  type HookProgram,
  hookTable,
  installedProgram,
  ownCommands,
  pluginHooks,
} from "./hookTable.ts";
export {
  carryOutInstall,
  type FileEdit,
  type InstallRequest,
  type PreparedInstall,
  prepareEdit,
  prepareInstall,
  prepareServer,
} from "./install.ts";
export { ownFileMark, planOwnFile } from "./ownFile.ts";
export { type ClaudePlaces, claudePlaces, type ServerProgram } from "./places.ts";
export { type Plan, planInstall } from "./plan.ts";
export { readReceipt, type Scope, scopes } from "./receipt.ts";
export { openSettings, readSettings } from "./settingsFile.ts";
export {
  commandsToPlace,
  placeCommands,
  placedCommands,
  pluginCommands,
  removeCommands,
} from "./slashCommands.ts";
export { planTables, type TomlTable, tomlString, tomlTable } from "./tomlFile.ts";
export { carryOutUninstall, prepareUninstall, purgeData, type Removal } from "./uninstall.ts";
