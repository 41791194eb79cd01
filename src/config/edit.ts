// Changes one setting in the user's or the project's file; nothing is written unless the result is valid.
import { realpathSync } from "node:fs";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import { parseDocument, removeFromText, setInText } from "../jsonc/index.ts";
import { errorText, type Home, ThroughlineError, writeFileAtomic } from "../lib/index.ts";
import { readDocument, readText } from "./document.ts";
import { type ConfigFile, configFiles, readConfigText } from "./files.ts";
import { placeOf, valueFromText } from "./settings.ts";

export interface EditTarget {
  readonly home: Home;
  readonly cwd: string;
  readonly scope: "user" | "project";
}

export interface SettingChange {
  readonly key: string;
  readonly file: string;
  /** What the file said before and says now; undefined where it says nothing. */
  readonly before: unknown;
  readonly after: unknown;
}

function valueInText(text: string, path: readonly string[], file: string): unknown {
  const { tree, error } = parseDocument(text);
  // A text that does not parse has no places to edit; reading it says where it breaks.
  if (error !== undefined || (tree !== undefined && tree.type !== "object")) readDocument(text, file);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return node && getNodeValue(node);
}

function write({ file, exists }: ConfigFile, text: string): void {
  readDocument(text, file);
  try {
    // A file that is kept elsewhere and linked here stays a link.
    writeFileAtomic(exists ? realpathSync(file) : file, text);
  } catch (error) {
    throw new ThroughlineError("io-failed", `cannot write ${file}: ${errorText(error)}`, {
      fix: "check the permissions of the folder",
      cause: error,
    });
  }
}

/** Sets `key` to what `text` stands for. Throws before writing when key, value or the rest of the file is wrong. */
export function setSetting(target: EditTarget, key: string, text: string): SettingChange {
  const place = placeOf(key);
  readText(text, place);
  const after = valueFromText(place.schema, text);
  const configFile = configFiles(target.home, target.cwd)[target.scope];
  const current = readConfigText(configFile);
  const before = valueInText(current, place.path, configFile.file);
  const next = setInText(current, place.path, after);
  write(configFile, next.endsWith("\n") ? next : `${next}\n`);
  return { key, file: configFile.file, before, after };
}

/** Takes `key` out of the file; a file that does not set it is left alone. */
export function unsetSetting(target: EditTarget, key: string): SettingChange {
  const { path } = placeOf(key);
  const configFile = configFiles(target.home, target.cwd)[target.scope];
  const current = readConfigText(configFile);
  const before = valueInText(current, path, configFile.file);
  if (before !== undefined) write(configFile, removeFromText(current, path));
  return { key, file: configFile.file, before, after: undefined };
}
