// Edits tables of a TOML file without changing a byte around them: finds their headers, adds, replaces and removes whole tables.
import type { Splice } from "../jsonc/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import type { Plan } from "./plan.ts";
import type { Change } from "./receipt.ts";

/** A table that an installation wants in the file. */
export interface TomlTable {
  readonly path: readonly string[];
  /** Its lines below the header, each `key = value` on one line. */
  readonly lines: readonly string[];
}

interface FoundTable {
  readonly path: readonly string[];
  /** Where the header's line begins, and where its keys end: at the next header, comment or empty line. */
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

/** A key that stands before the first table, or the whole of an array of tables. */
interface TomlReading {
  readonly tables: readonly FoundTable[];
  /** First parts of keys that are set outside tables: a table of that name cannot be added. */
  readonly rootKeys: ReadonlySet<string>;
}

const bareKey = /^[A-Za-z0-9_-]+$/;

/** A string as a basic string of TOML, whose escapes are JSON's. */
export const tomlString = (text: string) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

const tomlKey = (path: readonly string[]) =>
  path.map((part) => (bareKey.test(part) ? part : tomlString(part))).join(".");

const KEY_PART = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.|$)/y;

/** The parts of a dotted key; undefined for a text that is none. */
function keyParts(text: string) {
  const parts: string[] = [];
  KEY_PART.lastIndex = 0;
  for (;;) {
    const match = KEY_PART.exec(text);
    if (match === null) return undefined;
    const [, basic, literal, bare, separator] = match;
    parts.push(basic === undefined ? (literal ?? bare ?? "") : unescaped(basic));
    if (separator === "") return parts;
  }
}

function unescaped(basic: string) {
  try {
    return String(JSON.parse(`"${basic}"`));
  } catch {
    // An escape that JSON does not have: no key of ours holds one.
    return basic;
  }
}

const quotes = ['"""', "'''"] as const;

/** The multi-line string that a line leaves open. */
function openString(line: string, open: string | undefined) {
  let inside = open;
  for (let at = 0; at < line.length; at++) {
    const found = quotes.find((quote) => line.startsWith(quote, at));
    if (inside !== undefined) {
      if (inside === '"""' && line[at] === "\\") at += 1;
      else if (found === inside) [inside, at] = [undefined, at + 2];
    } else if (found !== undefined) [inside, at] = [found, at + 2];
    else if (line[at] === "#") return undefined;
    else if (line[at] === '"' || line[at] === "'") at = closingQuote(line, at);
  }
  return inside;
}

function closingQuote(line: string, at: number) {
  const quote = line[at];
  let end = at + 1;
  while (end < line.length && line[end] !== quote) end += quote === '"' && line[end] === "\\" ? 2 : 1;
  return end;
}

/** Brackets of a value that goes on over several lines, without those in strings and comments. */
function depthAfter(line: string, depth: number) {
  const plain = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "").replace(/#.*/, "");
  return depth + (plain.match(/[[{]/g)?.length ?? 0) - (plain.match(/[\]}]/g)?.length ?? 0);
}

const HEADER = /^\s*\[([^[\]]*(?:"(?:[^"\\]|\\.)*"[^[\]]*)*)\]\s*(?:#.*)?$/;
const ANY_HEADER = /^\s*\[/;

/** Finds tables line by line; values are only skipped. Never throws. */
function readToml(text: string): TomlReading {
  const tables: FoundTable[] = [];
  const rootKeys = new Set<string>();
  let current:
    | { path: readonly string[]; start: number; bodyStart: number; end: number; done: boolean }
    | undefined;
  let isRoot = true;
  let [offset, depth, open]: [number, number, string | undefined] = [0, 0, undefined];
  const close = () => {
    if (current === undefined) return;
    const { path, start, bodyStart, end } = current;
    tables.push({ path, start, end, body: text.slice(bodyStart, end) });
    current = undefined;
  };
  for (const whole of text.split(/(?<=\n)/)) {
    const line = whole.replace(/\r?\n$/, "");
    const isInside = open !== undefined || depth > 0;
    if (!isInside && ANY_HEADER.test(line)) {
      close();
      isRoot = false;
      const path = keyParts(HEADER.exec(line)?.[1] ?? "");
      const bodyStart = offset + whole.length;
      if (path !== undefined) current = { path, start: offset, bodyStart, end: bodyStart, done: false };
    } else {
      const isValue = isInside || /^\s*[^\s#]/.test(line);
      if (!isValue && current) current.done = true;
      if (isValue && current && !current.done) current.end = offset + whole.length;
      const key = isRoot && !isInside ? keyParts(line.split("=")[0]?.trim() ?? "") : undefined;
      if (key?.[0] !== undefined) rootKeys.add(key[0]);
      open = openString(line, open);
      if (open === undefined)
        depth = Math.max(0, depthAfter(isInside ? line : line.replace(/^[^=]*=/, ""), depth));
    }
    offset += whole.length;
  }
  close();
  return { tables, rootKeys };
}

const isSamePath = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((part, at) => part === other[at]);

/** The text of a table below its header; undefined when the file has none of that name. */
export function tomlTable(text: string, path: readonly string[]) {
  return readToml(text).tables.find((table) => isSamePath(table.path, path))?.body;
}

const pointerTo = (path: readonly string[]) =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const pathFrom = (pointer: string) =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

class TomlDraft {
  text: string;
  readonly changes: Change[] = [];
  readonly splices: Splice[] = [];
  readonly #before: string;
  readonly #eol: string;

  constructor(text: string) {
    this.text = text;
    this.#before = text;
    this.#eol = text.includes("\r\n") ? "\r\n" : "\n";
  }

  #splice(offset: number, removed: string, inserted: string) {
    this.text = this.text.slice(0, offset) + inserted + this.text.slice(offset + removed.length);
    this.splices.push({ offset, removed, inserted });
  }

  #body({ lines }: TomlTable) {
    return lines.map((line) => `${line}${this.#eol}`).join("");
  }

  set(table: TomlTable, file: string) {
    const { tables, rootKeys } = readToml(this.text);
    const found = tables.find(({ path }) => isSamePath(path, table.path));
    const body = this.#body(table);
    const pointer = pointerTo(table.path);
    if (found?.body === body) return;
    if (found !== undefined) {
      this.#splice(found.end - found.body.length, found.body, body);
      this.changes.push({ pointer, before: found.body, after: body });
      return;
    }
    if (rootKeys.has(table.path[0] ?? "")) throw cannotAdd(file, table.path);
    // An empty line of our own, which is removed with the table.
    const gap = this.text === "" ? "" : this.#eol.repeat(this.text.endsWith("\n") ? 1 : 2);
    this.#splice(this.text.length, "", `${gap}[${tomlKey(table.path)}]${this.#eol}${body}`);
    this.changes.push({ pointer, after: body });
  }

  /** Removes a table with the empty line before it, or gives back what stood there. */
  undo({ pointer, before }: Change) {
    const path = pathFrom(pointer);
    const found = readToml(this.text).tables.find((table) => isSamePath(table.path, path));
    if (found === undefined) return;
    if (typeof before === "string") {
      this.#splice(found.end - found.body.length, found.body, before);
    } else {
      const gap = /(?<=\n)\r?\n$/.exec(this.text.slice(0, found.start))?.[0] ?? "";
      this.#splice(found.start - gap.length, this.text.slice(found.start - gap.length, found.end), "");
    }
    this.changes.push({ pointer, before: found.body, ...(typeof before === "string" && { after: before }) });
  }

  plan(): Plan {
    return { before: this.#before, after: this.text, changes: this.changes, splices: this.splices, made: [] };
  }
}

function cannotAdd(file: string, path: readonly string[]) {
  return new ThroughlineError(
    "settings-invalid",
    `${file} sets ${path[0]} outside a table, so [${tomlKey(path)}] cannot be added`,
    `write ${path[0]} of ${file} as tables ([${path[0]}.name]), then run this again; nothing was changed`,
  );
}

/** What to change so that the file has these tables; nothing when it has them already. */
export function planTables(text: string, file: string, wanted: readonly TomlTable[]): Plan {
  const draft = new TomlDraft(text);
  for (const table of wanted) draft.set(table, file);
  return draft.plan();
}

/** What to change so that none of the recorded tables is left; newest first, so that a value set twice ends as it was. */
export function planTableRemoval(text: string, recorded: readonly Change[]): Plan {
  const draft = new TomlDraft(text);
  const first = new Map<string, Change>();
  for (const change of recorded) if (!first.has(change.pointer)) first.set(change.pointer, change);
  for (const change of [...first.values()].reverse()) draft.undo(change);
  return draft.plan();
}
