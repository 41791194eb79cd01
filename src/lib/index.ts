// Leaves without ideas of their own: time, ids, places, atomic files, errors.

export { BoundedMap } from "./boundedMap.ts";
export { firstCharacters, lastCharacters } from "./characters.ts";
export { check } from "./check.ts";
export { type Clock, DAY, HOUR, isoTime, MINUTE, minuteOf, SECOND, systemClock } from "./clock.ts";
export { defined } from "./defined.ts";
export { lightSha256 } from "./digest.ts";
export { type ErrorCode, errorCodes, errorText, systemErrorCode, ThroughlineError } from "./errors.ts";
export {
  appendLines,
  createFileAtomic,
  ensureFolder,
  makeFolder,
  namesIn,
  readForeign,
  readIfPossible,
  readIfThere,
  writeFileAtomic,
} from "./files.ts";
export { collectGarbage } from "./garbage.ts";
export { matchesGlob } from "./glob.ts";
export { commonStart, grow, RunningLast, RunningSum, sumOf } from "./growth.ts";
export { sha256, timeOrderedId } from "./ids.ts";
export { givenText, isObject, type JsonObject, objectsIn, parseJson, stringsIn } from "./json.ts";
export { parseJsonWithComments } from "./jsonComments.ts";
export { takeLock, withLock, withLockSync } from "./lock.ts";
export { nearest } from "./nearest.ts";
export { isNeededJoiner, neutral, neutralJson } from "./neutral.ts";
export { type ObservationType, observationTypes } from "./observationTypes.ts";
export { isOwnTool, ownContextMark, withoutOwnContext } from "./ownContext.ts";
export { ownershipOf, ownUser } from "./ownership.ts";
export { look, removeAbandoned, replaceFile, type Seen } from "./replaceFile.ts";
export { type SerialQueue, serialQueue } from "./serialQueue.ts";
export { isNewer, ownVersion } from "./version.ts";
