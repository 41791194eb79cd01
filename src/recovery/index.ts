// A damaged database: set aside, salvaged behind the running worker, and what a person is told of it.

export { damageNotice } from "./notice.ts";
export { openOrRecover } from "./openStore.ts";
export { type KnownTranscript, type MakeRecovery, makeRecovery, type Recovery } from "./recovery.ts";
export { type DamageSummary, damageSummaries, forgetDamaged } from "./report.ts";
