// Everything that is kept as one set of files with a list of them, its way back, and a check of it all.
export { type CheckedPart, checkEverything, type PartName } from "./check.ts";
export { type MadeSet, makeSet, type SetProgress } from "./make.ts";
export { finishRestore, type RestoredSet, restoreSet, undoRestore } from "./restore.ts";
