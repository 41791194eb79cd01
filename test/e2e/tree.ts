// A folder as a value: every file, link and folder below it, to be compared with what it was before.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { sha256, systemErrorCode } from "../../src/lib/index.ts";

/** Each path below the folder with its mode and, for files, the hash of its bytes. */
type Tree = Readonly<Record<string, string>>;

export function treeOf(folder: string): Tree {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(path.join(folder, name))]));
}

function describe(file: string): string {
  const stat = lstatSync(file);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  if (stat.isFile()) return `${mode} ${sha256(readFileSync(file))}`;
  return stat.isDirectory() ? `${mode} folder` : `${mode} special`;
}

/** Paths that are in `after` and were not, or were something else, in `before`. */
export function changedPaths(before: Tree, after: Tree): string[] {
  return Object.keys(after).filter((name) => after[name] !== before[name]);
}

export function lostPaths(before: Tree, after: Tree): string[] {
  return Object.keys(before).filter((name) => !(name in after));
}

/** Files below the folder whose bytes hold one of the texts, each with the text it holds; others may write there. */
export function filesHolding(folder: string, texts: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const bytes = bytesOf(path.join(folder, name));
    return texts.filter((text) => bytes.includes(text)).map((text) => `${name}: ${text.slice(0, 8)}…`);
  });
}

function bytesOf(file: string): Buffer {
  try {
    return lstatSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0);
  } catch (error) {
    // A spool is emptied while it is looked at.
    if (systemErrorCode(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
