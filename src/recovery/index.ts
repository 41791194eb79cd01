// A damaged database: set aside, salvaged behind the running worker, and the notice about it.

export { openOrRecover } from "./openStore.ts";
export { type KnownTranscript, type MakeRecovery, makeRecovery, type Recovery } from "./recovery.ts";
export { type DamageSummary, damageNotice, damageSummaries, forgetDamaged } from "./report.ts";
