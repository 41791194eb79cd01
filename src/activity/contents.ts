// What the conversation last knew of each file's content: as it was read or written, with later edits made in it.
import { defined, GrowingReaders, isObject } from "../lib/index.ts";
import { type History, type HistoryItem, withoutReminders } from "../messages/index.ts";
import { callReaderOf, type FileAction, fileOfCall, type ToolCall } from "./toolCall.ts";

interface KnownContent {
  readonly text: string;
  /** Only a part of the file was read; this is the number of its first line. */
  readonly firstLine?: number;
}

/** Of more files those are forgotten that were touched longest ago: no window shows so many. */
const MOST_FILES = 400;

type AfterCall<Known> = (call: ToolCall, action: FileAction, before: Known | undefined) => Known | undefined;

/** A file that was read or changed. */
export interface KnownFile<Known> {
  readonly path: string;
  /** Index of the message that touched it last. */
  readonly at: number;
  /** What is known of it; undefined where nothing of it was seen. Only until the next history is read. */
  known(): Known | undefined;
}

interface TouchedFile<Known> {
  at: number;
  known: Known | undefined;
  /** Calls that are not taken into `known` yet: most files are never asked for. */
  waiting: ToolCall[];
}

/** What is known of each file after the calls so far: a history that grew is read from where it ended. */
class FileReader<Known> {
  items: History = [];
  readonly #files = new Map<string, TouchedFile<Known>>();
  /** Calls that are taken in for good: those before the first that is still open. */
  #settled = 0;
  readonly #after: AfterCall<Known>;

  constructor(after: AfterCall<Known>) {
    this.#after = after;
  }

  read(history: History): void {
    this.items = history;
  }

  /** Takes the answered calls in. */
  #follow(): readonly ToolCall[] {
    const { calls } = callReaderOf(this.items);
    for (; this.#settled < calls.length && calls[this.#settled]?.outcome !== "open"; this.#settled++) {
      const call = calls[this.#settled] as ToolCall;
      const path = touchedBy(call);
      if (path !== undefined) this.#note(path, call);
    }
    return calls;
  }

  #note(path: string, call: ToolCall) {
    const file = this.#files.get(path) ?? { at: call.at, known: undefined, waiting: [] };
    file.at = call.at;
    file.waiting.push(call);
    this.#files.delete(path);
    this.#files.set(path, file);
    const [oldest] = this.#files.size > MOST_FILES ? this.#files.keys() : [];
    if (oldest !== undefined) this.#files.delete(oldest);
  }

  #settledOf(file: TouchedFile<Known>) {
    if (file.waiting.length > 0) {
      file.known = this.#afterAll(file.waiting, file.known);
      file.waiting = [];
    }
    return file.known;
  }

  #afterAll(calls: readonly ToolCall[], before: Known | undefined) {
    return calls.reduce(
      (known, call) => this.#after(call, fileOfCall(call)?.action ?? "read", known),
      before,
    );
  }

  /** The file that was touched last at the end. */
  files(): KnownFile<Known>[] {
    const later = new Map<string, ToolCall[]>();
    for (const call of this.#follow().slice(this.#settled)) {
      const path = touchedBy(call);
      if (path === undefined) continue;
      const calls = [...(later.get(path) ?? []), call];
      later.delete(path);
      later.set(path, calls);
    }
    const settled = [...this.#files].filter(([path]) => !later.has(path));
    return [
      ...settled.map(([path, file]) => ({ path, at: file.at, known: () => this.#settledOf(file) })),
      ...[...later].map(([path, calls]) => {
        const file = this.#files.get(path);
        const before = () => file && this.#settledOf(file);
        return { path, at: calls.at(-1)?.at ?? 0, known: () => this.#afterAll(calls, before()) };
      }),
    ];
  }
}

/** The file that a call has read or changed. */
const touchedBy = (call: ToolCall) => (call.outcome === "ok" ? fileOfCall(call)?.path : undefined);

const contentReaders = new GrowingReaders<HistoryItem, FileReader<KnownContent>>(
  () => new FileReader(contentAfter),
);

/** The file that was touched last at the end. */
export const knownContents = (history: History): KnownFile<KnownContent>[] =>
  contentReaders.of(history).files();

function contentAfter({ input, output }: ToolCall, action: FileAction, before: KnownContent | undefined) {
  if (action === "written") return typeof input.content === "string" ? { text: input.content } : before;
  if (action === "edited") return before && { ...before, text: edited(before.text, input) };
  const read = readContent(output);
  const isPart = input.offset !== undefined || input.limit !== undefined;
  if (read.text.trim() === "") return before;
  if (!isPart) return { text: read.text };
  // A part says nothing new about a file that is known as a whole.
  if (before && before.firstLine === undefined) return before;
  return { text: read.text, firstLine: read.firstLine ?? 1 };
}

const lineNumber = /^\s*(\d+)(?:→|\t)/;

/** Readers put a number before every line and reminders behind the last. */
function readContent(result: string): { readonly text: string; readonly firstLine?: number } {
  const lines = withoutReminders(result).trimEnd().split("\n");
  const first = lineNumber.exec(lines[0] ?? "")?.[1];
  if (first === undefined) return { text: lines.join("\n") };
  return { text: lines.map((line) => line.replace(lineNumber, "")).join("\n"), firstLine: Number(first) };
}

/** Replacements are made where their old text stands; one that is not in sight changes a part that is not known. */
function edited(text: string, input: Readonly<Record<string, unknown>>) {
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.reduce((now, { old_string: from, new_string: to, replace_all: all }) => {
    if (typeof from !== "string" || typeof to !== "string" || from === "") return now;
    // A function: in a replacement text `$&` would mean something.
    return all === true ? now.replaceAll(from, () => to) : now.replace(from, () => to);
  }, text);
}

export interface KnownLine {
  readonly text: string;
  /** Its number in the file; an edit outside of what was read has none. */
  readonly number?: number;
  /** Index of the message that read, wrote or changed it last. */
  readonly at: number;
  readonly isEdited: boolean;
}

/** Consecutive lines of a file. */
export type KnownPart = readonly KnownLine[];

const lineReaders = new GrowingReaders<HistoryItem, FileReader<readonly KnownPart[]>>(
  () => new FileReader(partsAfter),
);

/** The file that was touched last at the end; the parts of a file in their order, those without a place last. */
export const knownLines = (history: History): KnownFile<readonly KnownPart[]>[] =>
  lineReaders.of(history).files();

function partsAfter(call: ToolCall, action: FileAction, before: readonly KnownPart[] = []) {
  const { input, output, at } = call;
  if (action === "written")
    return typeof input.content === "string" ? [seenPart(input.content, 1, at, new Set())] : before;
  if (action === "edited") {
    const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
    return edits.reduce<readonly KnownPart[]>(
      (parts, { old_string: from, new_string: to, replace_all: all }) =>
        typeof from === "string" && typeof to === "string" && from !== ""
          ? afterEdit(parts, { from, to, isAll: all === true, at })
          : parts,
      before,
    );
  }
  const { text, firstLine } = readContent(output);
  if (text.trim() === "") return before;
  const isPart = input.offset !== undefined || input.limit !== undefined;
  const edited = new Set(before.flat().flatMap((line) => (line.isEdited ? [line.text] : [])));
  const seen = seenPart(text, firstLine ?? 1, at, edited);
  return isPart ? withPart(before, seen) : [seen];
}

function seenPart(text: string, first: number, at: number, edited: ReadonlySet<string>): KnownPart {
  return text
    .split("\n")
    .map((line, index) => ({ text: line, number: first + index, at, isEdited: edited.has(line) }));
}

/** What was read anew replaces what was known of its place; adjacent parts become one. */
function withPart(parts: readonly KnownPart[], seen: KnownPart): readonly KnownPart[] {
  const [first, last] = [seen[0]?.number ?? 0, seen.at(-1)?.number ?? 0];
  const texts = new Set(seen.map(({ text }) => text));
  const others = parts.flatMap((part) => {
    if (part[0]?.number === undefined) return part.every(({ text }) => texts.has(text)) ? [] : [part];
    return [
      part.filter(({ number = 0 }) => number < first),
      part.filter(({ number = 0 }) => number > last),
    ].filter(({ length }) => length > 0);
  });
  const placed = [...others, seen].filter((part) => part[0]?.number !== undefined);
  const loose = others.filter((part) => part[0]?.number === undefined);
  const joined: KnownLine[][] = [];
  for (const part of placed.sort((a, b) => (a[0]?.number ?? 0) - (b[0]?.number ?? 0))) {
    const end = joined.at(-1);
    if (end && (end.at(-1)?.number ?? 0) + 1 === part[0]?.number) end.push(...part);
    else joined.push([...part]);
  }
  return [...joined, ...loose];
}

interface LineEdit {
  readonly from: string;
  readonly to: string;
  readonly isAll: boolean;
  readonly at: number;
}

/** Made where the old text stands, with the numbers behind it moved; the new text alone where that place is not known. */
function afterEdit(parts: readonly KnownPart[], edit: LineEdit): readonly KnownPart[] {
  let moved = 0;
  let found = false;
  const after = parts.map((part) => {
    if (found && !edit.isAll) return renumbered(part, moved);
    const made = editedPart(part, edit);
    if (made === part) return renumbered(part, moved);
    found = true;
    const shown = renumbered(made, moved);
    moved += made.length - part.length;
    return shown;
  });
  if (found || edit.to.trim() === "") return after;
  return [...after, edit.to.split("\n").map((text) => ({ text, at: edit.at, isEdited: true }))];
}

function renumbered(part: KnownPart, by: number) {
  if (by === 0 || part[0]?.number === undefined) return part;
  return part.map((line) => ({ ...line, number: (line.number ?? 0) + by }));
}

/** The same part when the old text does not stand in it. */
function editedPart(part: KnownPart, { from, to, isAll, at }: LineEdit) {
  const first = part[0]?.number;
  let lines = [...part];
  let text = lines.map((line) => line.text).join("\n");
  for (
    let place = text.indexOf(from);
    place >= 0;
    place = isAll ? text.indexOf(from, place + to.length) : -1
  ) {
    const start = text.slice(0, place).split("\n").length - 1;
    text = text.slice(0, place) + to + text.slice(place + from.length);
    const [gone, come] = [from.split("\n").length, to.split("\n").length];
    const fresh = text
      .split("\n")
      .slice(start, start + come)
      .map((line) => ({ text: line, at, isEdited: true }));
    lines = [...lines.slice(0, start), ...fresh, ...lines.slice(start + gone)];
  }
  if (lines.length === part.length && lines.every((line, index) => line === part[index])) return part;
  return lines.map((line, index) => ({
    ...line,
    ...defined({ number: first === undefined ? undefined : first + index }),
  }));
}
