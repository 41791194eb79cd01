// Installing into Claude Code: a plan of changes, carried out and undone by a receipt; what is wrong with an installation.
export { collectFacts, pluginIsOn, type Surroundings } from "./collect.ts";
export { diagnose } from "./diagnose.ts";
export { lineDiff } from "./diff.ts";
export type { EntryFacts, Facts, PluginFacts, SettingsFacts, WorkerReply } from "./facts.ts";
export { type Finding, type FindingId, findingKinds, type Repair, type Severity } from "./findings.ts";
export {
  type Bundle,
  bundles,
  type HookProgram,
  hookTable,
  installedProgram,
  ownCommands,
  pluginHooks,
} from "./hookTable.ts";
export {
  carryOutInstall,
  type Installed,
  type InstallRequest,
  type PreparedInstall,
  prepareInstall,
  prepareServer,
  writeRuntime,
} from "./install.ts";
export { modFacts } from "./modFacts.ts";
export { modFolderIn, PLUGIN_FOLDERS } from "./modFolder.ts";
export { type ClaudePlaces, claudePlaces, settingsPlace } from "./places.ts";
export { type Change, type Plan, planInstall, planUninstall } from "./plan.ts";
export { type Installation, type Receipt, readReceipt, receiptFile, type Scope, scopes } from "./receipt.ts";
export { isOwnServer, SERVER_NAME, type ServerProgram, serverEntry, serverPlace } from "./server.ts";
export {
  carryOutUninstall,
  prepareUninstall,
  purgeData,
  type Removal,
  type Removed,
  type UninstallRequest,
} from "./uninstall.ts";
