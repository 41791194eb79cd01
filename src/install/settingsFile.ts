// A settings file on disk: where it really is, its text and mode, and its replacement in one step.
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { errorText, systemErrorCode, ThroughlineError } from "../lib/index.ts";

export interface SettingsFile {
  /** As it was named. */
  readonly file: string;
  /** Where links lead. */
  readonly real: string;
  readonly exists: boolean;
  readonly text: string;
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const refuse = (message: string, fix: string, cause?: unknown): ThroughlineError =>
  new ThroughlineError("io-failed", message, { fix, cause });

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") {
      throw refuse(`cannot read ${file}: ${errorText(error)}`, "check the permissions of its folders", error);
    }
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw refuse(
        `${file} is a link to a file that is not there`,
        "make the file it points to, or remove the link",
      );
    }
    return file;
  }
}

/** Reads the file; a missing one is empty. `mode` is what a new one would get. */
export function openSettings(file: string, mode: number): SettingsFile {
  const real = realOf(file);
  if (!existsSync(real)) return { file, real, exists: false, text: "", mode };
  const stat = statSync(real);
  if (!stat.isFile()) {
    throw new ThroughlineError("not-a-file", `${file} is not a file`, { fix: `move ${file} away` });
  }
  const bytes = readBytes(real, file);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) {
    throw new ThroughlineError("not-text", `${file} is not UTF-8 text`, { fix: "save it as UTF-8" });
  }
  return { file, real, exists: true, text, mode: stat.mode & 0o777, owner: { uid: stat.uid, gid: stat.gid } };
}

function readBytes(real: string, file: string): Buffer {
  try {
    return readFileSync(real);
  } catch (error) {
    throw refuse(`cannot read ${file}: ${errorText(error)}`, "check the permissions of the file", error);
  }
}

/** Throws when the file is one that its owner does not want to be written. */
export function checkWritable({ file, exists, mode }: SettingsFile): void {
  if (exists && (mode & 0o200) === 0) {
    throw refuse(`${file} is read-only`, `chmod u+w ${file}, or add the entries where the file is made`);
  }
}

const temporaryName = (file: string): RegExp =>
  new RegExp(`^\\.${path.basename(file).replaceAll(".", "\\.")}\\.throughline-[0-9a-f]{12}$`);

/** Takes away what a killed writer left beside the file. */
export function sweepTemporary(real: string): void {
  const folder = path.dirname(real);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((entry) => temporaryName(real).test(entry))) {
    rmSync(path.join(folder, name), { force: true });
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Puts `text` in the place of what was read: whoever looks sees the old file or the new one, with the same mode and
 * owner. Throws, and changes nothing, when somebody else has written since.
 */
export function replaceSettings(settings: SettingsFile, text: string): void {
  const { file, real, mode, owner } = settings;
  const folder = path.dirname(real);
  const temporary = path.join(
    folder,
    `.${path.basename(real)}.throughline-${randomBytes(6).toString("hex")}`,
  );
  try {
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(fd, text);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (owner !== undefined && process.getuid?.() === 0) chownSync(temporary, owner.uid, owner.gid);
    if (openSettings(file, mode).text !== settings.text) {
      throw refuse(`${file} was changed by another program meanwhile`, "run this again; nothing was changed");
    }
    renameSync(temporary, real);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof ThroughlineError) throw error;
    throw refuse(`cannot write ${file}: ${errorText(error)}`, "check the permissions of the folder", error);
  }
  syncFolder(folder);
}

/** Makes a folder and gives those that were missing, outermost first, so that they can be taken away again. */
export function makeFolder(folder: string, mode: number): string[] {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  mkdirSync(folder, { recursive: true, mode });
  return missing;
}

/** Takes away those of the folders that hold nothing, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): string[] {
  const removed: string[] = [];
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (!existsSync(folder) || readdirSync(folder).length > 0) continue;
    rmdirSync(folder);
    removed.push(folder);
  }
  return removed;
}
