// A settings file of Claude Code: its text checked for a safe edit, its place and mode, and its replacement in one step.

import { randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { getNodeValue } from "jsonc-parser";
import { lineAt, type Node, parseDocument } from "../jsonc/index.ts";
import {
  errorText,
  isObject,
  type JsonObject,
  lstatIfThere,
  parseJson,
  removeFile,
  syncFolder,
  systemErrorCode,
  ThroughlineError,
  withFile,
} from "../lib/index.ts";

const MARK = "\uFEFF";

/** Splits off the byte-order mark that some editors put first. */
export function withoutMark(text: string): { readonly mark: string; readonly body: string } {
  return text.startsWith(MARK) ? { mark: MARK, body: text.slice(1) } : { mark: "", body: text };
}

type SettingsReading =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly line: number; readonly problem: string };

function twice(node: Node, depth: number): Node | undefined {
  if (depth === 0 || node.type !== "object") return undefined;
  const seen = new Set<unknown>();
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (seen.has(name?.value)) return property;
    seen.add(name?.value);
    const below = value && twice(value, depth - 1);
    if (below) return below;
  }
  return undefined;
}

/** The part of the structure that would make an edit unsafe. */
function misshapen(tree: Node) {
  if (tree.type !== "object") return { node: tree, problem: "the settings must be an object" };
  const repeated = twice(tree, 2);
  if (repeated) return { node: repeated, problem: `${String(repeated.children?.[0]?.value)} is set twice` };
  for (const property of tree.children ?? []) {
    const [name, value] = property.children ?? [];
    if (!value) continue;
    if ((name?.value === "hooks" || name?.value === "env") && value.type !== "object")
      return { node: value, problem: `${name.value} must be an object` };
    if (name?.value !== "hooks") continue;
    const wrong = value.children?.find((event) => event.children?.[1]?.type !== "array");
    if (wrong) return { node: wrong, problem: `hooks.${String(wrong.children?.[0]?.value)} must be a list` };
  }
  return undefined;
}

/** Never throws: an unusable file is a finding for some callers and an error for others. */
export function readSettings(text: string): SettingsReading {
  const { body } = withoutMark(text);
  const { tree, error } = parseDocument(body);
  const refuse = (offset: number, problem: string): SettingsReading => ({
    ok: false,
    line: lineAt(body, offset),
    problem,
  });
  if (error) return refuse(error.offset, `not valid JSON (${error.words})`);
  if (!tree) return { ok: true, value: {} };
  const wrong = misshapen(tree);
  if (wrong) return refuse(wrong.node.offset, wrong.problem);
  // Parsed again: the parser's objects have no prototype, so they never equal ours.
  const value = parseJson(JSON.stringify(getNodeValue(tree)));
  return { ok: true, value: isObject(value) ? value : {} };
}

/** Whether Claude Code can read the text: it ignores a file with comments or trailing commas. */
export function isPlainJson(text: string) {
  const { body } = withoutMark(text);
  return body.trim() === "" || parseJson(body) !== undefined;
}

/** The value of a settings text. Throws `settings-invalid` with the line that is wrong. */
export function settingsValue(text: string, file: string) {
  const reading = readSettings(text);
  if (reading.ok) return reading.value;
  throw new ThroughlineError(
    "settings-invalid",
    `${file}:${reading.line}: ${reading.problem}`,
    `edit line ${reading.line} of ${file}, then run this again; nothing was changed`,
  );
}

export interface SettingsFile {
  /** As it was named. */
  readonly file: string;
  /** The file that links lead to. */
  readonly real: string;
  readonly exists: boolean;
  readonly text: string;
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const refuse = (message: string, fix: string, cause?: unknown) =>
  new ThroughlineError("io-failed", message, { fix, cause });

function realSettingsFile(file: string) {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT")
      throw refuse(`cannot read ${file}: ${errorText(error)}`, "check the permissions of its folders", error);
    if (lstatIfThere(file)?.isSymbolicLink()) {
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
  const real = realSettingsFile(file);
  if (!existsSync(real)) return { file, real, exists: false, text: "", mode };
  const stat = statSync(real);
  if (!stat.isFile()) throw new ThroughlineError("not-a-file", `${file} is not a file`, `move ${file} away`);
  const bytes = readBytes(real, file);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes))
    throw new ThroughlineError("not-text", `${file} is not UTF-8 text`, "save it as UTF-8");
  return { file, real, exists: true, text, mode: stat.mode & 0o777, owner: { uid: stat.uid, gid: stat.gid } };
}

function readBytes(real: string, file: string) {
  try {
    return readFileSync(real);
  } catch (error) {
    throw refuse(`cannot read ${file}: ${errorText(error)}`, "check the permissions of the file", error);
  }
}

/** Throws for a read-only file. */
export function checkWritable({ file, exists, mode }: SettingsFile) {
  if (exists && (mode & 0o200) === 0)
    throw refuse(`${file} is read-only`, `chmod u+w ${file}, or add the entries where the file is made`);
}

const temporaryNamePattern = (file: string) =>
  new RegExp(`^\\.${path.basename(file).replaceAll(".", "\\.")}\\.throughline-[0-9a-f]{12}$`);

/** Deletes temporary files that a killed writer left beside the file. */
export function sweepTemporary(real: string) {
  const folder = path.dirname(real);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((entry) => temporaryNamePattern(real).test(entry)))
    removeFile(path.join(folder, name));
}

/**
 * Replaces the text that was read: a reader sees the old file or the new one, with the same mode and owner. Throws,
 * and changes nothing, if the file was written since.
 */
export function replaceSettings(settings: SettingsFile, text: string) {
  const { file, real, mode, owner } = settings;
  const folder = path.dirname(real);
  const temporary = path.join(
    folder,
    `.${path.basename(real)}.throughline-${randomBytes(6).toString("hex")}`,
  );
  try {
    withFile(temporary, "wx", (fd) => {
      writeFileSync(fd, text);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    });
    if (owner && process.getuid?.() === 0) chownSync(temporary, owner.uid, owner.gid);
    if (openSettings(file, mode).text !== settings.text)
      throw refuse(`${file} was changed by another program meanwhile`, "run this again; nothing was changed");
    renameSync(temporary, real);
  } catch (error) {
    removeFile(temporary);
    if (error instanceof ThroughlineError) throw error;
    throw refuse(`cannot write ${file}: ${errorText(error)}`, "check the permissions of the folder", error);
  }
  syncFolder(folder);
}

/** Creates a folder; returns the ones that were missing, outermost first, so that they can be removed again. */
export function makeFolder(folder: string, mode: number) {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  mkdirSync(folder, { recursive: true, mode });
  return missing;
}

/** Removes the folders that are empty, innermost first. */
export function removeEmptyFolders(folders: readonly string[]) {
  const removed: string[] = [];
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    if (!existsSync(folder) || readdirSync(folder).length > 0) continue;
    rmdirSync(folder);
    removed.push(folder);
  }
  return removed;
}
