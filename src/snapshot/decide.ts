// The part of snapshots that a hook needs when no worker answers: the decision, from files alone.
export { isFirstEncounter, readSnapshotKey } from "./seal.ts";
export { readSource, startOutput, startSession } from "./start.ts";
