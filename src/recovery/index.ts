// A damaged database: set aside, salvaged behind the running worker, and what a person is told of it.

export { damageNotice } from "./notice.ts";
export type { KnownTranscript, MakeRecovery, Recovery } from "./recovery.ts";
export { type DamageSummary, damageSummaries, forgetDamaged } from "./report.ts";
