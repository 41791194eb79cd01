// Where Throughline keeps its files, which project and session a folder belongs to, and what may be captured there.
export {
  type CaptureRules,
  configStamp,
  configWrittenAt,
  currentExclusion,
  excludedError,
  type IsExcluded,
  isExcludedWork,
  projectRoots,
  projectRules,
  rememberingExclusion,
  userRules,
  withinProject,
} from "./captureRules.ts";
export { type Language, languageOf } from "./language.ts";
export { claudeFolders, type Environment, type Home, resolveHome, safeName } from "./paths.ts";
export { type Pause, pause, pauses, resume, wasPaused } from "./pause.ts";
export { gitFolderOf, projectOf } from "./project.ts";
export {
  ensureToken,
  failedStart,
  forgetModTrouble,
  forgetStart,
  isPaused,
  noteStart,
  readRuntime,
  removeWorkerState,
  stirWorkerState,
  updateRuntime,
  writeWorkerState,
} from "./runtime.ts";
export {
  chooseByBeginning,
  findSession,
  ledgerFile,
  listSessions,
  type SessionPlace,
  sessionPlace,
  vaultFolder,
} from "./sessions.ts";
export {
  answerFile,
  answersFolder,
  damagedFolder,
  databaseFile,
  hookLog,
  leftSnapshots,
  lossFile,
  lossTotalsFile,
  modTroubleFile,
  pauseFile,
  type RuntimeState,
  receiptFile,
  replayFolder,
  restoreJournal,
  runtimeFile,
  type SnapshotRules,
  snapshotKeyFile,
  spendingFolder,
  spoolFolder,
  startFile,
  tokenFile,
  upkeepLock,
  type WorkerState,
  workerLog,
  workerSocket,
  workerStateFile,
} from "./stateFiles.ts";
