// Leaves without ideas of their own: time, ids, places, atomic files, errors.

export { callInOurTerms, shellError } from "./agentCalls.ts";
export {
  type Clock,
  DAY,
  HOUR,
  isoTime,
  MINUTE,
  minuteOf,
  SECOND,
  systemClock,
  withinTime,
} from "./clock.ts";
export {
  BoundedMap,
  commonStart,
  GrowingReaders,
  grow,
  RunningLast,
  RunningSum,
  sumOf,
} from "./collections.ts";
export { check, defined, present } from "./defined.ts";
export {
  type ErrorCode,
  errorCodes,
  errorText,
  notFoundError,
  systemErrorCode,
  ThroughlineError,
  tolerating,
  usageError,
} from "./errors.ts";
export {
  appendLines,
  createFileAtomic,
  ensureFolder,
  fileSize,
  lstatIfThere,
  makeFolder,
  namesIn,
  ownershipOf,
  ownUser,
  PRIVATE_FILE,
  readBytes,
  readForeign,
  readIfPossible,
  readIfThere,
  readJson,
  removeFile,
  removeTree,
  statIfThere,
  syncFolder,
  syncPlace,
  withFile,
  writeFileAtomic,
  writeJson,
} from "./files.ts";
export { collectGarbage } from "./garbage.ts";
export { matchesGlob } from "./glob.ts";
export {
  digitsOfSha256,
  lightSha256,
  promptIdInTurn,
  sha256,
  startOfSha256,
  takeIntoSha256,
  timeOrderedId,
} from "./ids.ts";
export {
  givenText,
  isObject,
  type JsonObject,
  objectsIn,
  optionalString,
  parseJson,
  parseJsonWithComments,
  stringsIn,
} from "./json.ts";
export { isRunning, takeLock, withLock, withLockSync } from "./lock.ts";
export { type ObservationType, observationTypes, UNDONE } from "./observationTypes.ts";
export { isOwnTool, ownContextMark, withoutOwnContext } from "./ownContext.ts";
export { look, removeAbandoned, replaceFile, type Seen } from "./replaceFile.ts";
export { type SerialQueue, serialQueue } from "./serialQueue.ts";
export {
  fenced,
  firstCharacters,
  isNeededJoiner,
  isSameFile,
  lastCharacters,
  lineRange,
  nearest,
  neutral,
  neutralJson,
  planInRequest,
  singleLine,
} from "./text.ts";
export { isNewer, ownVersion } from "./version.ts";
