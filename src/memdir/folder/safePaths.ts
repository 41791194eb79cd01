// Keeps every access inside the folder: names that are only names, no links, nothing but plain files.
import { constants, fstatSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import {
  lstatIfThere,
  readBytes,
  sha256,
  systemErrorCode,
  ThroughlineError,
  tolerating,
  withFile,
} from "../../lib/index.ts";
import { memoryLimits } from "./model.ts";

export const INDEX = "MEMORY.md";

const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:\.|$)/i;
const LONGEST_FILE_NAME = 150;
const DEEPEST_PATH = 5;

/** Why a single name cannot be one, in words. */
function partProblem(name: string) {
  if (name === "") return "it has an empty part";
  if (name === "." || name === ".." || /^\.{2,}$/.test(name)) return "it leads out of the folder";
  if (name.startsWith(".")) return "its name is hidden";
  if (name.startsWith("~")) return "its name begins with ~";
  if (/[. ]$/.test(name)) return "its name ends with a dot or a space, which some systems drop";
  if (DEVICE_NAME.test(name)) return "its name is that of a device";
  if (Buffer.byteLength(name) > LONGEST_FILE_NAME) return `its name has more than ${LONGEST_FILE_NAME} bytes`;
  return undefined;
}

function unsafePathReason(wanted: string) {
  if (wanted === "") return "it is empty";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be in a name
  if (/[\u0000-\u001f\u007f-\u009f]/.test(wanted)) return "it has control characters";
  if (/\p{Cf}|[\u2028\u2029\u115f\u1160\u3164\uffa0]|\p{Cs}/u.test(wanted))
    return "it has characters that cannot be seen";
  if (/%[0-9a-f]{2}|%u[0-9a-f]{4}/i.test(wanted)) return "it is encoded";
  if (wanted.includes("\\")) return "it has a backslash";
  if (/[<>:"|?*]/.test(wanted)) return "it has a character that some systems do not allow";
  if (wanted.startsWith("/")) return "it is absolute";
  const seen = wanted.normalize("NFKC");
  if (seen.split("/").length !== wanted.split("/").length || seen.includes("\\") || /[<>:"|?*]/.test(seen))
    return "it has look-alikes of separators";
  const parts = wanted.split("/");
  if (parts.length > DEEPEST_PATH) return `it is more than ${DEEPEST_PATH} folders deep`;
  for (const part of parts) {
    const problem = partProblem(part) ?? partProblem(part.normalize("NFKC"));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function memoryRefused(what: string, why: string, fix: string) {
  return new ThroughlineError("memory-refused", `${what}: ${why}`, fix);
}

const quotePath = (wanted: string) =>
  JSON.stringify(wanted.length > 100 ? `${wanted.slice(0, 100)}…` : wanted);

/** A path below the folder in its one spelling. Throws `memory-refused`, saying why, for anything else. */
export function safePath(wanted: string) {
  const problem = unsafePathReason(wanted);
  if (problem !== undefined)
    throw memoryRefused(
      quotePath(wanted),
      problem,
      "give a plain name in the memory folder, such as deploy-window.md",
    );
  return wanted.normalize("NFC");
}

/** The folder may be reached by a link: that is its owner's choice. Nothing below it may. */
function realRoot(root: string) {
  return tolerating(() => realpathSync(root), "ENOENT") ?? path.resolve(root);
}

/** The absolute place of a path below the folder, when nothing on the way there is a link. */
export function placeInside(root: string, wanted: string) {
  const safe = safePath(wanted);
  let place = realRoot(root);
  const parts = safe.split("/");
  for (const [at, part] of parts.entries()) {
    place = path.join(place, part);
    const stats = lstatIfThere(place);
    if (!stats) continue;
    const isLast = at === parts.length - 1;
    if (stats.isSymbolicLink())
      throw memoryRefused(quotePath(wanted), "it is a symbolic link", "put the file itself there");
    if (!isLast && !stats.isDirectory())
      throw memoryRefused(quotePath(wanted), "it goes through a file", "choose another name");
    if (isLast && !stats.isFile() && !stats.isDirectory())
      throw memoryRefused(
        quotePath(wanted),
        "it is no plain file",
        "remove it: a device or a pipe is no memory",
      );
    if (stats.isFile() && stats.nlink > 1)
      throw memoryRefused(
        quotePath(wanted),
        "it has another name elsewhere (a hard link)",
        "copy it, and remove the link",
      );
  }
  return place;
}

/** What lies in a folder, by name; nothing where there is no such folder. Throws `memory-refused` for a file. */
export function listMemoryFolder(folder: string) {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    if (systemErrorCode(error) !== "ENOTDIR") throw error;
    throw memoryRefused(folder, "it is a file", "choose a folder: throughline config set memory.dir FOLDER");
  }
}

interface FileRead {
  readonly text: string;
  readonly hash: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** A plain text file of the folder; undefined when it is not there. Throws `memory-refused` for what is no such file. */
export function readInside(
  root: string,
  wanted: string,
  most: number = memoryLimits.readBytes,
): FileRead | undefined {
  const place = placeInside(root, wanted);
  // A pipe that was put there a moment ago must not block the process.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return withFile(place, flags, (fd) => readOpenFile(fd, wanted, most));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    if (systemErrorCode(error) === "ELOOP")
      throw memoryRefused(quotePath(wanted), "it is a symbolic link", "put the file itself there");
    throw error;
  }
}

function readOpenFile(fd: number, wanted: string, most: number) {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw memoryRefused(quotePath(wanted), "it is no file", "name a file");
  if (stats.size > most)
    throw memoryRefused(
      quotePath(wanted),
      `it has ${stats.size} bytes, more than the ${most} that are read`,
      "shorten it",
    );
  const content = readBytes(fd, 0, stats.size);
  const text = content.toString("utf8");
  if (text.includes("\0") || !Buffer.from(text, "utf8").equals(content))
    throw memoryRefused(quotePath(wanted), "it holds bytes that are no text", "keep text in memories");
  return { text, hash: sha256(content), bytes: content.length, modifiedAt: stats.mtimeMs };
}
