// Reads the files of a BMad project: bounded, harmless, and undefined for whatever cannot be understood.

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { isObject, type JsonObject, readForeign } from "../../lib/index.ts";

/** Larger ones were not written by BMad. */
const MOST_BMAD_BYTES = 2 * 1024 * 1024;

/** Undefined for a file that is not there, is too large, or is no file. */
export function readBmadText(file: string) {
  return readForeign(file, MOST_BMAD_BYTES);
}

export function modifiedAt(file: string) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

export function listBmadFolder(folder: string) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** A YAML mapping. Aliases are not followed far: a small file could stand for gigabytes. */
export function yamlObject(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    const value: unknown = parseYaml(text, { maxAliasCount: 50, logLevel: "error" });
    return isObject(value) ? value : undefined;
  } catch {
    // People edit these files by hand.
    return undefined;
  }
}

export function tomlObject(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    const value: unknown = parseToml(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value below nested mappings, by its own keys only. */
export function at(value: unknown, ...keys: readonly string[]) {
  let found = value;
  for (const key of keys) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

export function wordsAt(value: unknown, ...keys: readonly string[]) {
  const found = at(value, ...keys);
  return typeof found === "string" && found.trim() !== "" ? found.trim() : undefined;
}

/** Tables deep, everything else replaced: how BMad lays one settings file over another. */
export function overlay(below: JsonObject, above: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (key === "__proto__") continue;
    const known = result[key];
    result[key] = isObject(known) && isObject(value) ? overlay(known, value) : value;
  }
  return result;
}

/** A path from a BMad setting, inside the project; undefined for one that leads out of it. */
export function insideProject(project: string, setting: string) {
  const plain = setting.replace(/^\{project-root\}[/\\]?/, "");
  const file = path.resolve(project, plain);
  const relative = path.relative(project, file);
  return relative.startsWith("..") || path.isAbsolute(relative) ? undefined : file;
}

/** As a person of the project would write it. */
export const shownPath = (project: string, file: string) =>
  path.relative(project, file).split(path.sep).join("/");

interface Workflow {
  readonly id: string;
  readonly status: string;
  readonly agent: string | undefined;
  readonly command: string | undefined;
}

const asWorkflow = (id: string, value: unknown): Workflow[] => {
  if (typeof value === "string") return [{ id, status: value, agent: undefined, command: undefined }];
  if (!isObject(value)) return [];
  const status = wordsAt(value, "status") ?? "";
  return [{ id, status, agent: wordsAt(value, "agent"), command: wordsAt(value, "command") }];
};

/** A flat map, a map of mappings, or a list of phases with their workflows. */
function workflowsOf(file: JsonObject) {
  const status = at(file, "workflow_status");
  if (isObject(status)) return Object.entries(status).flatMap(([id, value]) => asWorkflow(id, value));
  if (!Array.isArray(status)) return [];
  return status.flatMap((phase) => {
    const workflows = at(phase, "workflows");
    if (!Array.isArray(workflows)) return [];
    return workflows.flatMap((workflow) => asWorkflow(wordsAt(workflow, "id") ?? "unknown", workflow));
  });
}

/** Words for what is still to be done; a path stands for a result that is there. */
const isOpenStatus = (status: string) =>
  /^(required|optional|recommended|conditional|pending|not[-_ ]started|in[-_ ]progress)\b/i.test(status);

interface WorkflowState {
  /** What comes next, with the agent that does it. */
  readonly next: string | undefined;
  /** What people write into the file by themselves. */
  readonly phase: string | undefined;
  readonly epic: string | undefined;
}

export function readWorkflow(file: JsonObject): WorkflowState {
  const first = workflowsOf(file).find(({ status }) => isOpenStatus(status));
  const who = [first?.agent, first?.command].filter((word) => word !== undefined).join(", ");
  const named = (key: string) => {
    const value = at(file, key) ?? at(file, "workflow_status", key);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  return {
    next: named("next_action") ?? (first && `${first.id} (${first.status}${who === "" ? "" : `; ${who}`})`),
    phase: named("current_phase"),
    epic: named("current_epic"),
  };
}
