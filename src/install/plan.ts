// Decides what to change in the text of a settings file: a pure function from text to text, with every change named.
import { isDeepStrictEqual } from "node:util";
import {
  applySplices,
  type JsonPath,
  parseDocument,
  removeSplices,
  reversed,
  type Splice,
  setSplices,
} from "../jsonc/index.ts";
import { defined, isObject, type JsonObject, sha256, ThroughlineError } from "../lib/index.ts";
import { type HookGroups, ownCommands } from "./hookTable.ts";
import { isOwnServer, otherFolders, ownServers, PLUGIN_FOLDERS, withMod } from "./places.ts";
import type { Change, Step } from "./receipt.ts";
import { settingsValue, withoutMark } from "./settingsFile.ts";
import { STATUS_LINE, type StatusProgram, withoutStatusLine, withStatusLine } from "./statusLine.ts";

export interface Plan {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly Change[];
  readonly splices: readonly Splice[];
  /** JSON pointers of the containers that were not there before. */
  readonly made: readonly string[];
}

/** What an installation adds to the file. */
export interface Wanted {
  readonly groups: HookGroups;
  /** Variables for the agent's environment, such as a home folder that is not the usual one. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the mod, if the agent is to load it. */
  readonly modFolder?: string;
  /** The status line, if it is wanted. */
  readonly statusLine?: StatusProgram;
}

/** What an installation did to a file, as far as it is still known. */
interface Traces {
  /** Absent without a receipt: then every container that the removal empties counts as ours. */
  readonly made?: readonly string[];
  readonly env: readonly Change[];
  /** Oldest first. */
  readonly steps: readonly Pick<Step, "before" | "after" | "splices">[];
}

export function pointerOf(path: JsonPath) {
  return path.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function pathOf(pointer: string) {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function jsonValueAt(value: unknown, path: JsonPath) {
  return path.reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

/** A text being edited, with the changes so far. */
class Draft {
  readonly #mark: string;
  readonly #before: string;
  readonly #file: string;
  #body: string;
  #value: JsonObject | undefined;
  readonly changes: Change[] = [];
  readonly splices: Splice[] = [];
  readonly made: string[] = [];

  constructor(text: string, file: string) {
    const { mark, body } = withoutMark(text);
    this.#mark = mark;
    this.#body = body;
    this.#before = text;
    this.#file = file;
  }

  value() {
    this.#value ??= settingsValue(this.#body, this.#file);
    return this.#value;
  }

  at(path: JsonPath) {
    return jsonValueAt(this.value(), path);
  }

  #tree() {
    return parseDocument(this.#body).tree;
  }

  #carryOut(splices: readonly Splice[]) {
    this.#body = applySplices(this.#body, splices);
    this.#value = undefined;
    for (const splice of splices) this.splices.push({ ...splice, offset: splice.offset + this.#mark.length });
  }

  set(path: JsonPath, after: unknown) {
    const before = this.at(path);
    if (isEmpty(this.value()) && !this.#tree()) this.made.push("");
    for (let depth = 1; depth < path.length; depth++) {
      if (this.at(path.slice(0, depth)) === undefined) this.made.push(pointerOf(path.slice(0, depth)));
    }
    const wasBlank = this.#body === "";
    this.#carryOut(setSplices(this.#body, path, after));
    if (wasBlank) this.#carryOut([{ offset: this.#body.length, removed: "", inserted: "\n" }]);
    this.changes.push({ pointer: pointerOf(path), ...defined({ before }), after });
  }

  remove(path: JsonPath) {
    const before = this.at(path);
    this.#carryOut(removeSplices(this.#body, path));
    this.changes.push({ pointer: pointerOf(path), before });
  }

  /** Removes the whole value with the white space around it. */
  clear() {
    const { offset = 0, length = 0 } = this.#tree() ?? {};
    const rest = this.#body.slice(0, offset) + this.#body.slice(offset + length);
    this.#carryOut([{ offset: 0, removed: this.#body, inserted: rest.trim() === "" ? "" : rest }]);
  }

  plan(): Plan {
    return {
      before: this.#before,
      after: this.#body === "" ? "" : this.#mark + this.#body,
      changes: this.changes,
      splices: this.splices,
      made: this.made,
    };
  }
}

/** Removes `commands`, last first so that indexes stay valid, and groups that have no other command. */
function removeCommands(draft: Draft, commands: ReturnType<typeof ownCommands>) {
  for (const { event, group, index } of [...commands].reverse()) {
    const left = draft.at(["hooks", event, group, "hooks"]);
    const alone = Array.isArray(left) && left.length === 1;
    draft.remove(alone ? ["hooks", event, group] : ["hooks", event, group, "hooks", index]);
  }
}

/** Adds our folder to the others once, or removes it if none is given. */
function placeMod(draft: Draft, folder: string | undefined) {
  const place = ["env", PLUGIN_FOLDERS];
  const before = draft.at(place);
  const after = withMod(before, folder);
  if (after === before) return;
  if (after === undefined) draft.remove(place);
  else draft.set(place, after);
}

/** Adds our status line to what is there, or takes it out of that if none is given. */
function placeStatusLine(draft: Draft, program: StatusProgram | undefined) {
  const before = draft.at([STATUS_LINE]);
  const after = program === undefined ? withoutStatusLine(before) : withStatusLine(before, program);
  if (isDeepStrictEqual(after, before)) return;
  if (after === undefined) draft.remove([STATUS_LINE]);
  else draft.set([STATUS_LINE], after);
}

/** Removes a value, and every container that this empties. */
function removeWithParents(holder: unknown, at: readonly string[]) {
  const [name, ...rest] = at;
  if (name === undefined || !isObject(holder)) return;
  const inner: Record<string, unknown> = holder;
  removeWithParents(inner[name], rest);
  if (rest.length === 0 || isEmpty(inner[name])) delete inner[name];
}

/** Everything in the settings that is not ours, without empty containers: no plan may change it. */
function othersIn(value: JsonObject, envNames: readonly string[]) {
  const copy: { hooks?: Record<string, unknown>; env?: Record<string, unknown> } = structuredClone(value);
  for (const { event, group, index } of ownCommands(value).reverse()) {
    const groups = copy.hooks?.[event] as { hooks: unknown[] }[];
    groups[group]?.hooks.splice(index, 1);
    if (groups[group]?.hooks.length === 0) groups.splice(group, 1);
    if (groups.length === 0) delete copy.hooks?.[event];
  }
  for (const name of envNames) delete copy.env?.[name];
  for (const at of ownServers(value)) removeWithParents(copy, at);
  // Among plugin folders only ours may change.
  const folders = isObject(value.env) ? otherFolders(value.env[PLUGIN_FOLDERS]) : [];
  if (folders.length > 0) copy.env = { ...copy.env, [PLUGIN_FOLDERS]: folders };
  for (const [event, groups] of Object.entries(copy.hooks ?? {})) {
    if (isEmpty(groups)) delete copy.hooks?.[event];
  }
  for (const name of ["hooks", "env"] as const) if (isEmpty(copy[name])) delete copy[name];
  const line = withoutStatusLine(value[STATUS_LINE]);
  return defined({ ...copy, [STATUS_LINE]: line });
}

/** The last check before a write: the new text parses, and everything that is not ours is unchanged. */
function checked(plan: Plan, file: string, envNames: readonly string[]) {
  const [before, after] = [plan.before, plan.after].map((text) =>
    othersIn(settingsValue(text, file), envNames),
  );
  if (isDeepStrictEqual(before, after)) return plan;
  throw new ThroughlineError(
    "settings-invalid",
    `${file} cannot be edited without touching other settings`,
    "edit the file by hand (`throughline install --dry-run` shows what it needs) and report this; nothing was changed",
  );
}

/** What to change so that the file has exactly what is wanted; nothing when it has it already. */
export function planInstall(text: string, file: string, wanted: Wanted) {
  const draft = new Draft(text, file);
  const found = new Set<string>();
  const surplus: ReturnType<typeof ownCommands> = [];
  for (const own of ownCommands(draft.value())) {
    const command = wanted.groups.get(own.event)?.hooks[0];
    if (!command || found.has(own.event)) surplus.push(own);
    else if (!isDeepStrictEqual(own.command, command)) {
      draft.set(["hooks", own.event, own.group, "hooks", own.index], command);
    }
    found.add(own.event);
  }
  removeCommands(draft, surplus);
  for (const [event, group] of wanted.groups) {
    if (found.has(event)) continue;
    const groups = draft.at(["hooks", event]);
    draft.set(["hooks", event, Array.isArray(groups) ? groups.length : 0], group);
  }
  for (const [name, value] of Object.entries(wanted.env)) {
    if (draft.at(["env", name]) !== value) draft.set(["env", name], value);
  }
  placeMod(draft, wanted.modFolder);
  placeStatusLine(draft, wanted.statusLine);
  return checked(draft.plan(), file, [...Object.keys(wanted.env), PLUGIN_FOLDERS]);
}

/** The same for an entry among MCP servers; a foreign entry of that name is kept. */
export function planServer(text: string, file: string, at: JsonPath, server: JsonObject) {
  const draft = new Draft(text, file);
  const before = draft.at(at);
  const isFree = before === undefined || isOwnServer(before);
  if (isFree && !isDeepStrictEqual(before, server)) draft.set(at, server);
  return checked(draft.plan(), file, []);
}

/** Undoes steps as long as the hashes show no other write in between. */
export function stepBack<S extends Traces["steps"][number]>(
  text: string,
  steps: readonly S[],
): { text: string; left: readonly S[] } {
  let current = text;
  let count = steps.length;
  for (; count > 0; count--) {
    const step = steps[count - 1];
    // A step that was recorded but never written, because the writer was killed, has nothing to undo.
    if (!step || sha256(current) === step.before) continue;
    if (sha256(current) !== step.after) break;
    current = applySplices(current, reversed(step.splices));
  }
  return { text: current, left: steps.slice(0, count) };
}

/** Removes exactly the inserted texts, if each is still there once; undefined if not. */
function cutOut(text: string, steps: Traces["steps"]) {
  const [step, ...more] = steps;
  if (!step || more.length > 0) return undefined;
  let current = text;
  for (const { removed, inserted } of step.splices) {
    const at = current.indexOf(inserted);
    if (removed !== "" || inserted.length < 20 || at === -1 || current.indexOf(inserted, at + 1) !== -1)
      return undefined;
    current = current.slice(0, at) + current.slice(at + inserted.length);
  }
  return current;
}

function takeApart(text: string, file: string, { made, env }: Traces) {
  const draft = new Draft(text, file);
  const own = ownCommands(draft.value());
  removeCommands(draft, own);
  for (const { pointer, before, after } of env) {
    const path = pathOf(pointer);
    const there = draft.at(path);
    if (!isDeepStrictEqual(there, after) && !isOwnServer(there)) continue;
    if (before === undefined) draft.remove(path);
    else draft.set(path, before);
  }
  placeMod(draft, undefined);
  placeStatusLine(draft, undefined);
  const emptied = [...new Set(own.map(({ event }) => pointerOf(["hooks", event])))];
  const holders = env.map(({ pointer }) => pointerOf(pathOf(pointer).slice(0, -1)));
  const candidates = made ?? [...emptied, "/hooks", ...holders];
  for (const pointer of [...candidates].sort((a, b) => pathOf(b).length - pathOf(a).length)) {
    if (pointer === "" && isEmpty(draft.value())) draft.clear();
    else if (pointer !== "" && isEmpty(draft.at(pathOf(pointer)))) draft.remove(pathOf(pointer));
  }
  return draft.plan();
}

function parsesTo(text: string, file: string, value: unknown) {
  try {
    return isDeepStrictEqual(settingsValue(text, file), value);
  } catch (error) {
    if (error instanceof ThroughlineError) return false;
    throw error;
  }
}

/** What to change so that nothing of ours is left; restores every byte if nothing else was written since. */
export function planUninstall(text: string, file: string, traces: Traces) {
  const { text: earlier, left } = stepBack(text, traces.steps);
  const isUndone = traces.steps.length > 0 && left.length === 0;
  const apart = takeApart(earlier, file, { ...traces, env: isUndone ? [] : traces.env });
  const exact = left.length === 0 ? earlier : cutOut(earlier, left);
  const wanted = settingsValue(apart.after, file);
  const after = exact !== undefined && parsesTo(exact, file, wanted) ? exact : apart.after;
  const envNames = traces.env.map(({ pointer }) => pathOf(pointer)[1] ?? "");
  const changes = takeApart(text, file, traces).changes;
  return checked({ before: text, after, changes, splices: [], made: [] }, file, [
    ...envNames,
    PLUGIN_FOLDERS,
  ]);
}
