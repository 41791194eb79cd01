// The list of a backup set: every file with its size and hash, and which paths such a list may name.
import { lstatSync } from "node:fs";
import path from "node:path";
import { isObject, parseJson, readIfThere, ThroughlineError } from "../lib/index.ts";

export interface SetFile {
  /** Below the set's folder, with forward slashes; the first part is `data`, `config` or `memory-N`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A memory folder outside the data folder. */
export interface SetMemory {
  readonly name: string;
  /** The folder of work that the memories belong to. Where they are restored is decided on this machine. */
  readonly work: string;
  /** Where they were. */
  readonly folder: string;
}

export interface Manifest {
  readonly throughline: "backup";
  readonly version: 1;
  readonly at: string;
  readonly writer: string;
  readonly memories: readonly SetMemory[];
  readonly files: readonly SetFile[];
}

export const MANIFEST = "manifest.json";
export const DATABASE = "data/throughline.db";

/** What of the data folder belongs to a set. Receipts, keys and backups are of the machine, and stay on it. */
export const dataParts = ["vault", "projects", "memory", "memory-books", "groups", "archive-folders.json"];

export function damagedSet(folder: string, problem: string): ThroughlineError {
  return new ThroughlineError("backup-damaged", `${folder} cannot be used: ${problem}`, {
    fix: "use another backup; nothing was changed",
  });
}

const LONGEST_PATH = 1_024;

/** Why a path must not be followed; undefined for one that a backup could have written. */
function pathProblem(file: string): string | undefined {
  const [root = "", first = "", ...rest] = file.split("/");
  const parts = [first, ...rest];
  const isOrdinary = (part: string): boolean =>
    part !== "" && part !== "." && part !== ".." && !/[\\:\0]/.test(part) && !/[. ]$/.test(part);
  if (file.length > LONGEST_PATH || !parts.every(isOrdinary)) return "leads out of the backup";
  if (root === "data") {
    const isKnown =
      file === DATABASE || (dataParts.includes(first) && (rest.length > 0 || first.includes(".")));
    return isKnown ? undefined : "is no part of a backup";
  }
  return root === "config" || /^memory-\d{1,4}$/.test(root) ? undefined : "is no part of a backup";
}

function isFile(value: unknown): value is SetFile {
  if (!isObject(value) || typeof value.path !== "string" || typeof value.sha256 !== "string") return false;
  return Number.isSafeInteger(value.bytes) && Number(value.bytes) >= 0 && /^[0-9a-f]{64}$/.test(value.sha256);
}

const isMemory = (value: unknown): value is SetMemory =>
  isObject(value) && [value.name, value.work, value.folder].every((text) => typeof text === "string");

/** Reads and checks the list; throws `backup-damaged` for one that is not whole or names what it must not. */
export function readManifest(folder: string): Manifest {
  const refuse = (problem: string): never => {
    throw damagedSet(folder, problem);
  };
  const text = isPlainFile(path.join(folder, MANIFEST))
    ? readIfThere(path.join(folder, MANIFEST))
    : undefined;
  if (text === undefined)
    return refuse(`it has no ${MANIFEST}, so it is no backup, or one that was not finished`);
  const value = parseJson(text);
  if (!isObject(value) || value.throughline !== "backup") return refuse(`its ${MANIFEST} cannot be read`);
  if (value.version !== 1) return refuse(`it was made by a newer version (${String(value.version)})`);
  const { at, writer, files, memories } = value;
  if (!Array.isArray(files) || !files.every(isFile) || !Array.isArray(memories) || !memories.every(isMemory))
    return refuse(`its ${MANIFEST} is not complete`);
  const seen = new Set<string>();
  for (const file of files) {
    const name = file.path.normalize("NFC").toLowerCase();
    const problem = pathProblem(file.path) ?? (seen.has(name) ? "is listed twice" : undefined);
    if (problem !== undefined) return refuse(`${JSON.stringify(file.path.slice(0, 100))} ${problem}`);
    seen.add(name);
  }
  return { throughline: "backup", version: 1, at: String(at), writer: String(writer), memories, files };
}

/** Whether it is a file, and no link to one. */
function isPlainFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Where a listed file lies; throws for one that is missing, or is reached through a link. */
export function locate(folder: string, file: SetFile): string {
  const parts = file.path.split("/");
  for (let count = 1; count < parts.length; count++) {
    const above = lstatSync(path.join(folder, ...parts.slice(0, count)), { throwIfNoEntry: false });
    if (above === undefined) break;
    if (!above.isDirectory()) throw damagedSet(folder, `${parts.slice(0, count).join("/")} is no folder`);
  }
  const place = path.join(folder, ...parts);
  if (!isPlainFile(place)) throw damagedSet(folder, `${file.path} is missing, or is no file`);
  return place;
}
