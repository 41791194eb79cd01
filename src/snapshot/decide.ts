// The part of snapshots that a hook needs when no worker answers: the decision, from files alone.
export { isFirstSight, readSnapshotKey } from "./seal.ts";
export { readSource, startOutput, startSession } from "./start.ts";
