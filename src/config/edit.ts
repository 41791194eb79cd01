// Changes one setting in the user's or the project's file; nothing is written unless the result is valid.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import type { Home } from "../home/index.ts";
import { parseDocument, removeFromText, setInText } from "../jsonc/index.ts";
import { errorText, ThroughlineError, writeFileAtomic } from "../lib/index.ts";
import { readDocument, readText, readUsable } from "./document.ts";
import { type ConfigFile, configFiles, readConfigText } from "./files.ts";
import { placeOf, settingAt, valueFromText } from "./settings.ts";
import { checkTrustable, readProjectText, trustContent } from "./trust.ts";

export interface EditTarget {
  readonly home: Home;
  readonly cwd: string;
  readonly scope: "user" | "project";
}

export interface SettingChange {
  readonly key: string;
  readonly file: string;
  /** The value in the file before and now; undefined where it is not set. */
  readonly before: unknown;
  readonly after: unknown;
  /** For a project's file: whether it is trusted now. */
  readonly trusted?: boolean;
}

function valueInText(text: string, path: readonly string[], file: string): unknown {
  const { tree, error } = parseDocument(text);
  // A text that does not parse cannot be edited; reading it reports the line.
  if (error !== undefined || (tree !== undefined && tree.type !== "object")) readDocument(text, file);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return node && getNodeValue(node);
}

/** The file of a scope. Throws where a repository would redirect the write to another file. */
function fileFor({ home, cwd, scope }: EditTarget): ConfigFile & { readonly keepsTrust: boolean } {
  const configFile = configFiles(home, cwd)[scope];
  const { file, exists, problem } = configFile;
  if (scope === "user") return { ...configFile, keepsTrust: false };
  if (problem !== undefined) throw new ThroughlineError("config-invalid", problem, "keep one of the two");
  if (!exists) {
    if (lstatSync(path.dirname(file), { throwIfNoEntry: false })?.isSymbolicLink())
      checkTrustable(file, "linked");
    return { ...configFile, keepsTrust: true };
  }
  const { text, trust } = readProjectText(home, file);
  checkTrustable(file, trust);
  const { entries, problems } = readUsable(text);
  // Setting one value does not trust the others.
  return { ...configFile, keepsTrust: trust === "trusted" || entries.length + problems.length === 0 };
}

/** Trusts a project's file with its new content, if it was trusted or empty before. */
function trusting({ home, scope }: EditTarget, { file, keepsTrust }: ReturnType<typeof fileFor>) {
  if (scope === "user") return undefined;
  if (keepsTrust) trustContent(home, file, readProjectText(home, file).digest);
  return { trusted: keepsTrust };
}

function checkProjectKey(key: string, { scope }: EditTarget) {
  if (scope === "user" || settingAt(placeOf(key).path)?.project !== undefined) return;
  throw new ThroughlineError(
    "usage",
    `${key} is not a project setting`,
    `throughline config set ${key} VALUE, without --project`,
  );
}

function write({ file, exists }: ConfigFile, text: string) {
  readDocument(text, file);
  try {
    // A linked file stays a link.
    writeFileAtomic(exists ? realpathSync(file) : file, text);
  } catch (error) {
    throw new ThroughlineError("io-failed", `cannot write ${file}: ${errorText(error)}`, {
      fix: "check the permissions of the folder",
      cause: error,
    });
  }
}

/** Sets `key` to the value of `text`. Throws before writing when the key, the value or the rest of the file is invalid. */
export function setSetting(target: EditTarget, key: string, text: string): SettingChange {
  const place = placeOf(key);
  readText(text, place);
  checkProjectKey(key, target);
  const after = valueFromText(place.schema, text);
  const configFile = fileFor(target);
  const current = readConfigText(configFile);
  const before = valueInText(current, place.path, configFile.file);
  const next = setInText(current, place.path, after);
  write(configFile, next.endsWith("\n") ? next : `${next}\n`);
  return { key, file: configFile.file, before, after, ...trusting(target, configFile) };
}

/** Removes `key` from the file; a file that does not set it is not changed. */
export function unsetSetting(target: EditTarget, key: string): SettingChange {
  const { path: at } = placeOf(key);
  const configFile = fileFor(target);
  const current = readConfigText(configFile);
  const before = valueInText(current, at, configFile.file);
  const about = { key, file: configFile.file, before, after: undefined };
  if (before === undefined) return about;
  write(configFile, removeFromText(current, at));
  return { ...about, ...trusting(target, configFile) };
}
