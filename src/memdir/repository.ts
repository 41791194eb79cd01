// What a repository has: its files, the words of its code, its scripts, programs and branches. Read from disk; nothing is run.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gitFolderOf, isObject, parseJson, systemErrorCode } from "../lib/index.ts";

export interface Repository {
  readonly root: string;
  /** Paths of files and folders below the root, with slashes. */
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** False when it is too large to be read whole: then nothing can be said to be missing. */
  readonly isWhole: boolean;
  /** Identifiers of the code, and words joined by dashes. */
  readonly words: ReadonlySet<string>;
  /** Words of everything else that is text. */
  readonly proseWords: ReadonlySet<string>;
  /** What is quoted or is a key: names that programs know at run time. */
  readonly keys: ReadonlySet<string>;
  /** What is written or declared as a flag, without its dashes. */
  readonly flags: ReadonlySet<string>;
  /** Names with dots, as the code writes them and as other texts do. */
  readonly dotted: ReadonlySet<string>;
  readonly documented: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  readonly makeTargets: ReadonlySet<string>;
  /** Programs that the repository itself brings. */
  readonly programs: ReadonlySet<string>;
  readonly branches: ReadonlySet<string>;
}

const LEFT_OUT = new Set(
  ".git .hg .svn node_modules bower_components dist build out coverage target vendor .venv venv __pycache__ .next .nuxt .cache .turbo .idea .vscode".split(
    " ",
  ),
);
const CODE =
  /\.(?:[cm]?[jt]sx?|json[c5]?|py|go|rs|rb|java|kt|kts|swift|cs|c|cc|cpp|h|hpp|m|php|scala|sh|bash|zsh|ps1|sql|graphql|proto|ya?ml|toml|ini|cfg|css|scss|vue|svelte|html|lua|ex|exs|erl|hs|clj|gradle|tf|mk)$|(?:^|\/)(?:Makefile|Dockerfile|justfile)$/i;
const PROSE = /\.(?:md|mdx|txt|rst|adoc)$/i;
const MOST_FILES = 50_000;
const MOST_BYTES = 100_000_000;
const MOST_FILE_BYTES = 2_000_000;

export interface RepositoryOptions {
  /** Paths below the root that are not looked at: what lies there is about the repository, and not of it. */
  readonly ignore?: readonly string[];
}

interface Walk {
  readonly files: Set<string>;
  readonly folders: Set<string>;
  isWhole: boolean;
}

function* walk(root: string, ignore: readonly string[]): Generator<void, Walk> {
  const found: Walk = { files: new Set(), folders: new Set(), isWhole: true };
  const ignored = new Set(ignore.map((each) => each.replace(/\/$/, "")));
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    yield;
    for (const entry of entriesOf(path.join(root, folder))) {
      const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (ignored.has(below)) continue;
      if (entry.isDirectory()) {
        found.folders.add(below);
        if (!LEFT_OUT.has(entry.name)) waiting.push(below);
      } else found.files.add(below);
      if (found.files.size > MOST_FILES) return { ...found, isWhole: false };
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "EACCES", "EPERM"].includes(systemErrorCode(error) ?? "")) return [];
    throw error;
  }
}

const WORD = /[A-Za-z_$][\w$]*(?:-[A-Za-z\d][\w]*)*/g;
const KEY = /["'`]([\w][\w:.-]*)["'`]|(?<![\w.-])([A-Za-z_$][\w$-]*)["']?\s{0,2}\??:(?!:)/g;
const FLAG =
  /(?<![\w-])--([A-Za-z][\w-]*)|(?<![\w.-])["']?([A-Za-z][\w-]*)["']?:\s{0,2}(?:\{\s{0,40}(?:type|alias|description|default|short)\b|Flags\.)|\b(?:option|flag|long|argument|switch)\w{0,8}(?:\(|\s?=\s?)\s{0,4}["']-{0,2}([A-Za-z][\w-]*)/g;
const DOTTED = /(?<![\w.$-])[a-z]\w*(?:\.[a-z]\w*)+(?![\w(])/g;

function takeWords(text: string, into: Set<string>): void {
  for (const [word] of text.matchAll(WORD)) {
    into.add(word);
    if (word.includes("-")) for (const part of word.split("-")) into.add(part);
  }
}

function takeNames(text: string, pattern: RegExp, into: Set<string>): void {
  for (const [whole, ...groups] of text.matchAll(pattern))
    into.add(groups.find((group) => group !== undefined) ?? whole);
}

/** Undefined for what is too large, no text, or cannot be read. */
function textOf(file: string): string | undefined {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > MOST_FILE_BYTES) return undefined;
    const text = readFileSync(file, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

interface Manifests {
  readonly scripts: Set<string>;
  readonly programs: Set<string>;
  readonly makeTargets: Set<string>;
}

function takeManifest(file: string, text: string, into: Manifests): void {
  const name = path.posix.basename(file);
  if (/^(?:gnu)?makefile$|\.mk$|^justfile$/i.test(name))
    for (const [, target] of text.matchAll(/^([\w./-]+)[^:=\n]*:(?!=)/gm)) into.makeTargets.add(target ?? "");
  if (name !== "package.json") return;
  const manifest = parseJson(text);
  if (!isObject(manifest)) return;
  if (isObject(manifest.scripts))
    for (const script of Object.keys(manifest.scripts)) into.scripts.add(script);
  if (isObject(manifest.bin)) for (const program of Object.keys(manifest.bin)) into.programs.add(program);
  else if (typeof manifest.bin === "string" && typeof manifest.name === "string")
    into.programs.add(manifest.name.replace(/^@[^/]+\//, ""));
}

function branchesOf(root: string): Set<string> {
  const git = gitFolderOf(root);
  const branches = new Set<string>();
  if (git === undefined) return branches;
  const take = (ref: string): void => {
    const name = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref)?.[1];
    if (name !== undefined) branches.add(name);
  };
  const packed = textOf(path.join(git, "packed-refs")) ?? "";
  for (const [, ref] of packed.matchAll(/^[0-9a-f]{40,64} (\S+)$/gm)) take(ref ?? "");
  const refs = path.join(git, "refs");
  if (existsSync(refs))
    for (const name of readdirSync(refs, { recursive: true, encoding: "utf8" }))
      if (statSync(path.join(refs, name), { throwIfNoEntry: false })?.isFile())
        take(`refs/${name.split(path.sep).join("/")}`);
  const head = /^ref: refs\/heads\/(.+)$/m.exec(textOf(path.join(git, "HEAD")) ?? "")?.[1];
  if (head !== undefined) branches.add(head.trim());
  return branches;
}

interface Texts {
  readonly words: Set<string>;
  readonly proseWords: Set<string>;
  readonly keys: Set<string>;
  readonly flags: Set<string>;
  readonly dotted: Set<string>;
  readonly documented: Set<string>;
}

function takeText(text: string, isCode: boolean, into: Texts): void {
  takeWords(text, isCode ? into.words : into.proseWords);
  takeNames(text, DOTTED, isCode ? into.dotted : into.documented);
  if (!isCode) return;
  takeNames(text, KEY, into.keys);
  takeNames(text, FLAG, into.flags);
}

/** Gives way after each folder and each file. */
function* reading(root: string, { ignore = [] }: RepositoryOptions): Generator<void, Repository> {
  const { files, folders, isWhole } = yield* walk(root, ignore);
  const set = (): Set<string> => new Set();
  const texts = {
    words: set(),
    proseWords: set(),
    keys: set(),
    flags: set(),
    dotted: set(),
    documented: set(),
  };
  const manifests = { scripts: set(), programs: set(), makeTargets: set() };
  let bytes = 0;
  for (const file of files) {
    const isCode = CODE.test(file);
    if (!isCode && !PROSE.test(file)) continue;
    if (bytes > MOST_BYTES) break;
    yield;
    const text = textOf(path.join(root, file));
    if (text === undefined) continue;
    bytes += text.length;
    takeText(text, isCode, texts);
    takeManifest(file, text, manifests);
  }
  const isRead = isWhole && bytes <= MOST_BYTES;
  return { root, files, folders, isWhole: isRead, ...texts, ...manifests, branches: branchesOf(root) };
}

/** Reads a repository once; every memory is then checked against that. */
export function readRepository(root: string, options: RepositoryOptions = {}): Repository {
  const steps = reading(root, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const TURN_MS = 10;

/** The same beside other work, which waits a few milliseconds at most; undefined when it takes longer than it may. */
export async function readRepositoryBeside(
  root: string,
  { mostMs, ...options }: RepositoryOptions & { readonly mostMs: number },
): Promise<Repository | undefined> {
  const steps = reading(root, options);
  const end = performance.now() + mostMs;
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    const now = performance.now();
    if (now > end) return undefined;
    if (now - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
