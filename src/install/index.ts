// Installation into Claude Code: plans changes, applies them, undoes them by a receipt, and diagnoses an installation.
export { collectFacts, makeChecks, modFacts, pluginIsOn } from "./collect.ts";
export { diagnose } from "./diagnose.ts";
export { lineDiff } from "./diff.ts";
export type { Complaint, Facts, WorkerReply } from "./facts.ts";
export { type Finding, findingKinds, type Repair } from "./findings.ts";
export { bundles, type HookProgram, hookTable, installedProgram, pluginHooks } from "./hookTable.ts";
export {
  carryOutInstall,
  carryOutUninstall,
  type InstallRequest,
  type PreparedInstall,
  prepareInstall,
  prepareServer,
  prepareUninstall,
  purgeData,
  type Removal,
} from "./install.ts";
export { type ClaudePlaces, claudePlaces, type ServerProgram } from "./places.ts";
export type { Plan } from "./plan.ts";
export { readReceipt, type Scope, scopes } from "./receipt.ts";
