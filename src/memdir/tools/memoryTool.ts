// Answers the API's client-side memory tool from this folder: six commands under /memories, with the official texts.
import { lstatSync, readdirSync, rmdirSync } from "node:fs";
import { checkTruth, type Repository } from "../../claims/index.ts";
import { type Clock, errorText, isObject, lstatIfThere, systemClock } from "../../lib/index.ts";
import { quarantine } from "../admit/quarantine.ts";
import { findSuspicions, redactDraft } from "../admit/screen.ts";
import { commitEdits, type FileEdit } from "../folder/commit.ts";
import { readMemory } from "../folder/frontmatter.ts";
import { type MemoryPlace, memoryLimits } from "../folder/model.ts";
import { placeInside, readInside } from "../folder/safePaths.ts";
import { lineFor, readMemoryFile } from "../folder/store.ts";
import { staleBanner, standingLine } from "../truth/notes.ts";

/** The commands of the memory tool, with their input. */
interface MemoryToolCommands {
  readonly view: { readonly path: string; readonly view_range?: readonly number[] | null };
  readonly create: { readonly path: string; readonly file_text: string };
  /** Without `new_str` the text is taken out. */
  readonly str_replace: { readonly path: string; readonly old_str: string; readonly new_str?: string };
  readonly insert: { readonly path: string; readonly insert_line: number; readonly insert_text: string };
  readonly delete: { readonly path: string };
  readonly rename: { readonly old_path: string; readonly new_path: string };
}

/** Each returns the text for the model, or throws an error whose message is for the model. Fits the SDK's `betaMemoryTool`. */
export type MemoryToolHandlers = {
  readonly [K in keyof MemoryToolCommands]: (command: MemoryToolCommands[K]) => Promise<string>;
};

const ROOT = "/memories";
const MOST_FILE_LINES = 999_999;

/** The path below the folder; empty for the folder itself. */
function relativeToRoot(path: string) {
  if (path !== ROOT && !path.startsWith(`${ROOT}/`))
    throw new Error(`Path must start with ${ROOT}, got: ${path}`);
  return path.slice(ROOT.length + 1).replace(/\/$/, "");
}

type Kind = "file" | "folder" | undefined;

function resolvePath({ folder }: MemoryPlace, path: string): { relative: string; kind: Kind } {
  const relative = relativeToRoot(path);
  if (relative === "") return { relative, kind: "folder" };
  let place: string;
  try {
    place = placeInside(folder, relative);
  } catch (error) {
    throw new Error(`Path ${path} would escape ${ROOT} directory, or is no plain path: ${errorText(error)}`);
  }
  const stats = lstatIfThere(place);
  return { relative, kind: stats === undefined ? undefined : stats.isDirectory() ? "folder" : "file" };
}

const missing = (path: string) => new Error(`The path ${path} does not exist. Please provide a valid path.`);

function fileAt(place: MemoryPlace, path: string): { relative: string; text: string; hash: string } {
  const { relative, kind } = resolvePath(place, path);
  if (kind === undefined) throw missing(path);
  if (kind !== "file") throw new Error(`The path ${path} is not a file.`);
  const read = readInside(place.folder, relative);
  if (!read) throw missing(path);
  return { relative, ...read };
}

function sizeInWords(bytes: number) {
  if (bytes === 0) return "0B";
  const step = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)));
  const size = bytes / 1024 ** step;
  return `${size % 1 === 0 ? size : size.toFixed(1)}${"BKMG"[step]}`;
}

const LEVELS = 2;

function listTree(folder: string, path: string, level: number): string[] {
  return readdirSync(folder)
    .sort()
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .flatMap((name) => {
      const stats = lstatSync(`${folder}/${name}`);
      if (stats.isFile()) return [`${sizeInWords(stats.size)}\t${path}/${name}`];
      if (!stats.isDirectory()) return [];
      const deeper = level < LEVELS ? listTree(`${folder}/${name}`, `${path}/${name}`, level + 1) : [];
      return [`${sizeInWords(stats.size)}\t${path}/${name}/`, ...deeper];
    });
}

const withLineNumbers = (lines: readonly string[], first: number) =>
  lines.map((line, at) => `${String(at + first).padStart(6)}\t${line}`).join("\n");

/** Characters of a file that are shown when no range was asked for, as the tool's description tells the model. */
const MOST_SHOWN = 16_000;

function viewFile(text: string, path: string, range: readonly number[] | null | undefined) {
  const lines = text.split("\n");
  if (lines.length > MOST_FILE_LINES)
    throw new Error(
      `File ${path} exceeds maximum line limit of ${MOST_FILE_LINES.toLocaleString("en-US")} lines.`,
    );
  const [from = 1, to = -1] = range ?? [];
  const first = Math.max(1, from);
  const wanted = lines.slice(first - 1, to === -1 ? lines.length : to);
  const shown = range ? wanted : wanted.slice(0, wholeLines(wanted));
  const rest =
    shown.length < wanted.length
      ? `\n[Lines ${first + shown.length} to ${lines.length} are not shown; use view_range to see them.]`
      : "";
  return `Here's the content of ${path} with line numbers:\n${withLineNumbers(shown, first)}${rest}`;
}

/** How many whole lines fit; a first line that is too long is shown all the same. */
function wholeLines(lines: readonly string[]) {
  let characters = 0;
  const end = lines.findIndex((line) => {
    characters += line.length + 1;
    return characters - 1 > MOST_SHOWN;
  });
  return end === -1 ? lines.length : Math.max(1, end);
}

/** Files below a folder, or the file itself. */
function filesUnder(folder: string, relative: string, kind: Kind): string[] {
  if (kind === "file") return [relative];
  return readdirSync(placeInside(folder, relative), { withFileTypes: true }).flatMap((entry) =>
    filesUnder(folder, `${relative}/${entry.name}`, entry.isDirectory() ? "folder" : "file"),
  );
}

function removeEmptyBelow(folder: string) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyBelow(`${folder}/${entry.name}`);
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function occurrences(text: string, wanted: string) {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

/** The edits that commands are made of: each is screened, committed and can be undone. */
function folderEditor(place: MemoryPlace, clock: Clock) {
  const { folder } = place;

  const removal = (file: string): FileEdit => ({
    file,
    text: undefined,
    expect: readInside(folder, file)?.hash,
    ...(file.includes("/") ? {} : { line: null }),
  });

  const creation = (file: string, text: string, expect?: string): FileEdit => ({
    file,
    text,
    expect,
    ...lineFor(file, text),
  });

  /** Returns what was written: secrets are hidden in it. A suspicious text goes into quarantine, and an error says so. */
  async function write(action: string, file: string, text: string, hash?: string) {
    if (text.includes("\0")) throw new Error(`${ROOT}/${file} would hold a NUL. Memories are text.`);
    const bytes = Buffer.byteLength(text);
    if (bytes > memoryLimits.memoryBytes)
      throw new Error(
        `${ROOT}/${file} would have ${bytes} bytes. Maximum is ${memoryLimits.memoryBytes} bytes; split it into several files.`,
      );
    const origin = { type: readMemory(text).type ?? "reference", author: "assistant" } as const;
    const { draft, hidden } = redactDraft({ name: file, description: file, body: text });
    const found = findSuspicions(draft, origin);
    const [first] = found;
    if (first) {
      const destination = { kind: "file", file, hash: hash ?? null } as const;
      const { id } = quarantine(place, { ...draft, ...origin }, found, { clock, destination });
      throw new Error(
        `Not written: the text waits for the user's review as ${id} (${first.kind}: ${first.evidence})`,
      );
    }
    const wanted = hidden.length === 0 ? text : draft.body;
    await commitEdits(place, action, () => [creation(file, wanted, hash)], clock);
    return wanted;
  }

  /** Commits an edit for each file of a file or folder; a folder that is empty afterwards goes too. */
  async function change(
    action: string,
    { relative, kind }: ReturnType<typeof resolvePath>,
    editsOf: (file: string) => readonly FileEdit[],
  ) {
    await commitEdits(place, action, () => filesUnder(folder, relative, kind).flatMap(editsOf), clock);
    if (kind === "folder") removeEmptyBelow(placeInside(folder, relative));
  }

  return { removal, creation, write, change };
}
type FolderEditor = ReturnType<typeof folderEditor>;

/** Options of `memoryTool`. */
export interface MemoryToolOptions {
  readonly clock?: Clock;
  /** What memories are checked against when they are viewed: `readRepository(root)`. */
  readonly repository?: Repository;
}

/** How far a file that is a memory can be relied on, behind its lines; nothing for any other file. */
function standingOf(
  place: MemoryPlace,
  file: string,
  { clock = systemClock, repository }: MemoryToolOptions,
) {
  const memory = readMemoryFile(place, file);
  if (memory?.type === undefined) return "";
  const banner = repository && staleBanner(checkTruth(memory.body, repository), "en");
  return `\n[This memory was ${standingLine(memory, clock.now(), "en")}.]${banner ? `\n${banner.trimEnd()}` : ""}`;
}

function viewPath(
  place: MemoryPlace,
  { path, view_range: range }: MemoryToolCommands["view"],
  options: MemoryToolOptions,
) {
  const { folder } = place;
  const { relative, kind } = resolvePath(place, path);
  if (kind === "file")
    return viewFile(fileAt(place, path).text, path, range) + standingOf(place, relative, options);
  if (kind === undefined) throw missing(path);
  const shown = relative === "" ? folder : placeInside(folder, relative);
  const stats = lstatIfThere(shown);
  return [
    `Here're the files and directories up to ${LEVELS} levels deep in ${path}, excluding hidden items and node_modules:`,
    `${sizeInWords(stats?.size ?? 0)}\t${path}`,
    ...(stats ? listTree(shown, path, 1) : []),
  ].join("\n");
}

async function replaceText(
  place: MemoryPlace,
  { write }: FolderEditor,
  { path, old_str: from, new_str: to = "" }: MemoryToolCommands["str_replace"],
) {
  const { relative, text, hash } = fileAt(place, path);
  const places = from === "" ? [] : occurrences(text, from);
  const [first] = places;
  if (first === undefined)
    throw new Error(`No replacement was performed, old_str \`${from}\` did not appear verbatim in ${path}.`);
  const lineOf = (at: number) => text.slice(0, at).split("\n").length;
  if (places.length > 1)
    throw new Error(
      `No replacement was performed. Multiple occurrences of old_str \`${from}\` in lines: ${[...new Set(places.map(lineOf))].join(", ")}. Please ensure it is unique`,
    );
  const edited = text.slice(0, first) + to + text.slice(first + from.length);
  const written = await write("str_replace", relative, edited, hash);
  const start = Math.max(0, lineOf(first) - 3);
  const snippet = written.split("\n").slice(start, lineOf(first) + 2);
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${withLineNumbers(snippet, start + 1)}`;
}

async function insertText(
  place: MemoryPlace,
  { write }: FolderEditor,
  { path, insert_line: line, insert_text: added }: MemoryToolCommands["insert"],
) {
  const { relative, text, hash } = fileAt(place, path);
  const lines = text.split("\n");
  if (!Number.isInteger(line) || line < 0 || line > lines.length)
    throw new Error(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  lines.splice(line, 0, added.replace(/\n$/, ""));
  await write("insert", relative, lines.join("\n"), hash);
  return `The file ${path} has been edited.`;
}

/** The handlers of the Anthropic memory tool, on a memory directory. */
export function memoryTool(place: MemoryPlace, options: MemoryToolOptions = {}): MemoryToolHandlers {
  const { clock = systemClock } = options;
  const editor = folderEditor(place, clock);
  const { removal, creation, write, change } = editor;
  return {
    view: async (command) => viewPath(place, command, options),
    str_replace: (command) => replaceText(place, editor, command),
    insert: (command) => insertText(place, editor, command),

    async create({ path, file_text: text }) {
      const { relative, kind } = resolvePath(place, path);
      if (kind !== undefined) throw new Error(`File ${path} already exists`);
      await write("create", relative, text);
      return `File created successfully at: ${path}`;
    },

    async delete({ path }) {
      const target = resolvePath(place, path);
      if (target.relative === "") throw new Error(`Cannot delete the ${ROOT} directory itself`);
      if (target.kind === undefined) throw new Error(`The path ${path} does not exist`);
      await change("delete", target, (file) => [removal(file)]);
      return `Successfully deleted ${path}`;
    },

    async rename({ old_path: from, new_path: to }) {
      const source = resolvePath(place, from);
      const target = resolvePath(place, to);
      if (source.relative === "") throw new Error(`Cannot rename the ${ROOT} directory itself`);
      if (target.kind !== undefined) throw new Error(`The destination ${to} already exists`);
      if (source.kind === undefined) throw new Error(`The path ${from} does not exist`);
      await change("rename", source, (file) => {
        const moved = target.relative + file.slice(source.relative.length);
        return [creation(moved, readInside(place.folder, file)?.text ?? ""), removal(file)];
      });
      return `Successfully renamed ${from} to ${to}`;
    },
  };
}

const commandFields: Readonly<
  Record<keyof MemoryToolCommands, Readonly<Record<string, "string" | "number">>>
> = {
  view: { path: "string" },
  create: { path: "string", file_text: "string" },
  str_replace: { path: "string", old_str: "string" },
  insert: { path: "string", insert_line: "number", insert_text: "string" },
  delete: { path: "string" },
  rename: { old_path: "string", new_path: "string" },
};

const isCommand = (name: unknown): name is keyof MemoryToolCommands =>
  typeof name === "string" && Object.hasOwn(commandFields, name);

/** What goes into the `tool_result` for any `input` of a `tool_use`. Never throws for what a model can get wrong. */
export async function runMemoryTool(
  handlers: MemoryToolHandlers,
  input: unknown,
): Promise<{ readonly content: string; readonly isError: boolean }> {
  try {
    if (!isObject(input) || !isCommand(input.command))
      throw new Error("Unknown command; use view, create, str_replace, insert, delete or rename");
    for (const [name, type] of Object.entries(commandFields[input.command]))
      if (typeof input[name] !== type) throw new Error(`${input.command} needs ${name}`);
    if (!["string", "undefined"].includes(typeof input.new_str)) throw new Error("new_str is no text");
    const handle = handlers[input.command] as (command: unknown) => Promise<string>;
    return { content: await handle(input), isError: false };
  } catch (error) {
    return { content: `Error: ${errorText(error)}`, isError: true };
  }
}
