// Which values of a project's file take effect, the notice about those that do not, and how one setting is changed: nothing is written unless the result is valid.

import { realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import { type Home, type Language, projectRoots, projectRules, withinProject } from "../home/index.ts";
import { parseDocument, removeFromText, setInText } from "../jsonc/index.ts";
import {
  defined,
  errorText,
  isObject,
  lstatIfThere,
  parseJson,
  present,
  readIfPossible,
  sha256,
  systemErrorCode,
  ThroughlineError,
  usageError,
  writeFileAtomic,
} from "../lib/index.ts";
import {
  type Entry,
  placeOf,
  readDocument,
  readText,
  readUsable,
  settingAt,
  valueFromText,
} from "./settings.ts";
import {
  type ConfigFile,
  checkTrustable,
  configFiles,
  projectFileIn,
  readConfigText,
  readProjectText,
  type Trust,
  trustContent,
} from "./trust.ts";

/** A value of a project's file that is ignored. */
interface IgnoredSetting {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
  /** `untrusted`: the file is not trusted. `not-project`: a project cannot set it. `outside`: it names folders outside the project. */
  readonly why: "untrusted" | "not-project" | "outside";
}

/** The file of a project, with its ignored values. */
export interface ProjectSettings {
  readonly file: string;
  readonly trust: Trust;
  readonly ignored: readonly IgnoredSetting[];
  /** Invalid values, by line. */
  readonly problems: readonly string[];
}

interface ReadProject {
  readonly entries: readonly (Entry & { readonly file: string })[];
  readonly settings?: ProjectSettings;
}

/** Whether a value only restricts, and takes effect without trust. */
const narrows = (entry: Entry) => settingAt(entry.path)?.project?.narrows === "off" && entry.value === false;

const isExclude = (entry: Entry) => settingAt(entry.path)?.project?.narrows === "list";

/** Why a value is ignored; undefined where it takes effect. */
function reasonFor(entry: Entry, trust: Trust, root: string) {
  const project = settingAt(entry.path)?.project;
  if (!project) return "not-project";
  if (isExclude(entry)) {
    const listed = entry.value as readonly string[];
    return withinProject(root, listed).length < listed.length ? "outside" : undefined;
  }
  return trust === "trusted" || narrows(entry) ? undefined : "untrusted";
}

function readNearest(home: Home, { file, problem }: ConfigFile): ReadProject {
  const root = path.dirname(path.dirname(file));
  const known = present([problem]);
  try {
    const { text, trust } = readProjectText(home, file);
    // A trusted file was valid: an invalid one is an error, as in the user's own file.
    const { entries, problems } =
      trust === "trusted" ? { entries: readDocument(text, file), problems: [] } : readUsable(text);
    const ignored: IgnoredSetting[] = [];
    const effective = entries.filter((entry) => {
      const why = reasonFor(entry, trust, root);
      const { value, line } = entry;
      if (why !== undefined) ignored.push({ key: entry.path.join("."), value, line, why });
      return why === undefined && !isExclude(entry);
    });
    return {
      entries: effective.map((entry) => ({ ...entry, file })),
      settings: { file, trust, ignored, problems: [...known, ...problems] },
    };
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "config-invalid") throw error;
    const problems = [...known, errorText(error)];
    return { entries: [], settings: { file, trust: "untrusted", ignored: [], problems } };
  }
}

/** Files above the nearest one can only restrict. */
function readOuter(home: Home, { file }: ConfigFile) {
  try {
    const { entries } = readUsable(readProjectText(home, file).text);
    return entries.filter(narrows).map((entry) => ({ ...entry, file }));
  } catch {
    // An unreadable file excludes its project and has no other effect.
    return [];
  }
}

/** Every value of the project that takes effect in a folder; later ones win. */
export function readProject(home: Home, cwd: string): ReadProject {
  const files = projectRoots(cwd).map((root) => projectFileIn(path.join(root, ".throughline")));
  const [nearest, ...outer] = files.filter(({ exists }) => exists);
  if (!nearest) return { entries: [] };
  const { entries, settings } = readNearest(home, nearest);
  const above = outer.reverse().flatMap((file) => readOuter(home, file));
  const exclude = projectRules(cwd).exclude;
  const excluding = { path: ["capture", "exclude"], value: exclude, line: 1, file: nearest.file };
  return {
    entries: present([...above, ...entries, exclude.length > 0 && excluding]),
    ...defined({ settings }),
  };
}

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

function valueInText(text: string, path: readonly string[], file: string) {
  const { tree, error } = parseDocument(text);
  // A text that does not parse cannot be edited; reading it reports the line.
  if (error || (tree && tree.type !== "object")) readDocument(text, file);
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
    if (lstatIfThere(path.dirname(file))?.isSymbolicLink()) checkTrustable(file, "linked");
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
  if (scope === "user" || settingAt(placeOf(key).path)?.project) return;
  throw usageError(
    `${key} is not a project setting`,
    `throughline config set ${key} VALUE, without --project`,
  );
}

function writeConfig({ file, exists }: ConfigFile, text: string) {
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
  writeConfig(configFile, next.endsWith("\n") ? next : `${next}\n`);
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
  writeConfig(configFile, removeFromText(current, at));
  return { ...about, ...trusting(target, configFile) };
}

/** Keys of settings only: the names that a repository gives its models are not repeated. */
function keysOf({ ignored }: ProjectSettings, why: ProjectSettings["ignored"][number]["why"]) {
  const keys = ignored
    .filter((one) => one.why === why)
    .map(({ key }) => settingAt(key.split("."))?.key ?? "");
  return [...new Set(keys)].filter((key) => key !== "");
}

/** One line; undefined where no value is ignored. */
export function projectNotice(project: ProjectSettings, language: Language) {
  const name = `.throughline/${path.basename(project.file)}`;
  const [waiting, never] = [keysOf(project, "untrusted"), keysOf(project, "not-project")];
  const isTrustable = project.trust !== "linked" && project.trust !== "foreign";
  if (waiting.length + never.length === 0) return undefined;
  const words = phrases[language];
  const parts = present([
    waiting.length > 0 && words.waiting + waiting.join(words.comma),
    never.length > 0 && words.never + never.join(words.comma),
    waiting.length > 0 && (isTrustable ? words.trust : words.untrustable),
  ]);
  return `${words.title(name)}${parts.join(words.semicolon)}`;
}

const phrases = {
  en: {
    title: (name: string) => `Throughline: ${name} of this project: `,
    waiting: "ignored until you trust it: ",
    never: "a project cannot set: ",
    trust: "`throughline config trust` shows the file and trusts it",
    untrustable: "a link or a file of another user cannot be trusted",
    comma: ", ",
    semicolon: "; ",
  },
  zh: {
    title: (name: string) => `Throughline：本项目的 ${name}：`,
    waiting: "信任该文件后才会生效的设置：",
    never: "项目文件不能修改的设置：",
    trust: "运行 `throughline config trust` 查看并信任该文件",
    untrustable: "该文件是符号链接，或属于其他用户，因此不能信任",
    comma: "、",
    semicolon: "；",
  },
};

/** Whether this audience has not seen the notice for this content; records that it has. */
export function isNews(home: Home, audience: "command" | "session", { file, ignored }: ProjectSettings) {
  const place = path.join(home.state, "told-projects.json");
  const found = parseJson(readIfPossible(place) ?? "");
  const known = isObject(found) ? found : {};
  const key = `${audience} ${sha256(file).slice(0, 32)}`;
  const content = sha256(JSON.stringify(ignored)).slice(0, 32);
  if (known[key] === content) return false;
  try {
    // Creates no folder: without an installation there is no state to keep.
    writeFileSync(place, `${JSON.stringify({ ...known, [key]: content })}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
  return true;
}
