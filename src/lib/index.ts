// Leaves without ideas of their own: time, ids, places, atomic files, errors.
export {
  type CaptureRules,
  configStamp,
  configWrittenAt,
  currentExclusion,
  excludedError,
  type IsExcluded,
  projectRoots,
  projectRules,
  rememberingExclusion,
  userRules,
  withinProject,
} from "./captureRules.ts";
export { firstCharacters, lastCharacters } from "./characters.ts";
export { type Clock, HOUR, isoTime, MINUTE, minuteOf, SECOND, systemClock } from "./clock.ts";
export { lightSha256 } from "./digest.ts";
export { type ErrorCode, errorCodes, errorText, systemErrorCode, ThroughlineError } from "./errors.ts";
export { isExcludedWork } from "./excluded.ts";
export { appendLines, createFileAtomic, ensureFolder, writeFileAtomic } from "./files.ts";
export { collectGarbage } from "./garbage.ts";
export { commonStart, grow } from "./growth.ts";
export { sha256, timeOrderedId } from "./ids.ts";
export { givenText, isObject, type JsonObject, objectsIn, parseJson, stringsIn } from "./json.ts";
export { type Language, languageOf } from "./language.ts";
export { takeLock, withLock, withLockSync } from "./lock.ts";
export { makeFolder } from "./makeFolder.ts";
export { nearest } from "./nearest.ts";
export { isNeededJoiner, neutral, neutralJson } from "./neutral.ts";
export { isOwnTool, ownContextMark, withoutOwnContext } from "./ownContext.ts";
export { ownershipOf, ownUser } from "./ownership.ts";
export { claudeFolders, type Environment, type Home, resolveHome, safeName } from "./paths.ts";
export {
  answerFile,
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
  type WorkerStart,
  type WorkerState,
  workerSocket,
  workerStateFile,
} from "./places.ts";
export { gitFolderOf, projectOf } from "./project.ts";
export { namesIn, readForeign, readIfPossible, readIfThere } from "./readIfThere.ts";
export { look, removeAbandoned, replaceFile, type Seen } from "./replaceFile.ts";
export {
  chooseByBeginning,
  findSession,
  ledgerFile,
  listSessions,
  type SessionPlace,
  sessionPlace,
  vaultFolder,
} from "./sessions.ts";
export { ownVersion } from "./version.ts";
