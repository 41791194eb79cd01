// The list of a backup set: every file with its size and hash, and which paths such a list may name.
import path from "node:path";
import { z } from "zod";
import { isObject, lstatIfThere, parseJson, readIfThere, ThroughlineError } from "../lib/index.ts";

const fileSchema = z.object({
  /** Below the set's folder, with forward slashes; the first part is `data`, `config` or `memory-N`. */
  path: z.string(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** A memory folder outside the data folder. */
const memorySchema = z.object({
  name: z.string(),
  /** The folder of work that the memories belong to. Where they are restored is decided on this machine. */
  work: z.string(),
  /** Where they were. */
  folder: z.string(),
});

const manifestSchema = z.object({
  throughline: z.literal("backup"),
  version: z.literal(1),
  at: z.coerce.string(),
  writer: z.coerce.string(),
  memories: z.array(memorySchema).readonly(),
  files: z.array(fileSchema).readonly(),
});

export type SetFile = Readonly<z.output<typeof fileSchema>>;
export type SetMemory = Readonly<z.output<typeof memorySchema>>;
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

export const MANIFEST = "manifest.json";
export const SET_DATABASE = "data/throughline.db";

/** What of the data folder belongs to a set. Receipts, keys and backups are of the machine, and stay on it. */
export const dataParts = ["vault", "projects", "memory", "memory-books", "groups", "archive-folders.json"];

export function damagedSet(folder: string, problem: string) {
  return new ThroughlineError(
    "backup-damaged",
    `${folder} cannot be used: ${problem}`,
    "use another backup; nothing was changed",
  );
}

const LONGEST_PATH = 1_024;

/** Why a path must not be followed; undefined for one that a backup could have written. */
function pathProblem(file: string) {
  const [root = "", first = "", ...rest] = file.split("/");
  const parts = [first, ...rest];
  const isOrdinary = (part: string) =>
    part !== "" && part !== "." && part !== ".." && !/[\\:\0]/.test(part) && !/[. ]$/.test(part);
  if (file.length > LONGEST_PATH || !parts.every(isOrdinary)) return "leads out of the backup";
  if (root === "data") {
    const isKnown =
      file === SET_DATABASE || (dataParts.includes(first) && (rest.length > 0 || first.includes(".")));
    return isKnown ? undefined : "is no part of a backup";
  }
  return root === "config" || /^memory-\d{1,4}$/.test(root) ? undefined : "is no part of a backup";
}

/** Reads and checks the list; throws `backup-damaged` for one that is not whole or names what it must not. */
export function readManifest(folder: string): Manifest {
  const refuse = (problem: string) => {
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
  const { data: manifest } = manifestSchema.safeParse(value);
  if (!manifest) return refuse(`its ${MANIFEST} is not complete`);
  const seen = new Set<string>();
  for (const file of manifest.files) {
    const name = file.path.normalize("NFC").toLowerCase();
    const problem = pathProblem(file.path) ?? (seen.has(name) ? "is listed twice" : undefined);
    if (problem !== undefined) return refuse(`${JSON.stringify(file.path.slice(0, 100))} ${problem}`);
    seen.add(name);
  }
  return manifest;
}

/** Whether it is a file, and no link to one. */
function isPlainFile(file: string) {
  return lstatIfThere(file)?.isFile() === true;
}

/** Where a listed file lies; throws for one that is missing, or is reached through a link. */
export function locate(folder: string, file: SetFile) {
  const parts = file.path.split("/");
  for (let count = 1; count < parts.length; count++) {
    const above = lstatIfThere(path.join(folder, ...parts.slice(0, count)));
    if (!above) break;
    if (!above.isDirectory()) throw damagedSet(folder, `${parts.slice(0, count).join("/")} is no folder`);
  }
  const place = path.join(folder, ...parts);
  if (!isPlainFile(place)) throw damagedSet(folder, `${file.path} is missing, or is no file`);
  return place;
}
