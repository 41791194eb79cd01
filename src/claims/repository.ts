// Reads what a repository has: files, words of its code, scripts, programs and branches. Runs nothing but git, and no
// program that the repository names.
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gitFolderOf } from "../home/index.ts";
import {
  isObject,
  type JsonObject,
  parseJson,
  statIfThere,
  systemErrorCode,
  tolerating,
} from "../lib/index.ts";
import { buildFolders, generatedFolders, ignoredPaths } from "./ignored.ts";

/** Names found in a repository, by what they are. */
const nameKinds = [
  /** Identifiers of the code, and words joined by dashes. */
  "words",
  /** Words of all other text files. */
  "proseWords",
  /** Quoted names and keys: what programs know at run time. */
  "keys",
  /** Flags that are written or declared, without their dashes. */
  "flags",
  /** Names with dots in code, and in other text files. */
  "dotted",
  "documented",
  "scripts",
  "makeTargets",
  /** Of a justfile. */
  "recipes",
  /** Programs that the repository itself provides. */
  "programs",
  /** Packages that it depends on, and programs that its scripts run. */
  "tools",
  /** Names of the repository and its packages. */
  "names",
] as const;
type Names = Readonly<Record<(typeof nameKinds)[number], Set<string>>>;

/** The names that a repository holds: files, folders, symbols, scripts and branches. */
export interface Repository extends Readonly<Record<keyof Names, ReadonlySet<string>>> {
  readonly root: string;
  /** Paths of files and folders below the root, with slashes. */
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** False when it is too large to be read whole: then nothing can be said to be missing. */
  readonly isWhole: boolean;
  /** Empty also where remote branches were not fetched: then nothing is said about a branch. */
  readonly branches: ReadonlySet<string>;
  /** Names that the code imports from packages. */
  readonly imported: ReadonlySet<string>;
  /** Whether git answers for its ignored paths. */
  readonly isGit: boolean;
}

const CODE_FILE =
  /\.(?:[cm]?[jt]sx?|json[c5]?|py|go|rs|rb|java|kt|kts|swift|cs|c|cc|cpp|h|hpp|m|php|scala|sh|bash|zsh|ps1|sql|graphql|proto|ya?ml|toml|ini|cfg|css|scss|vue|svelte|html|lua|ex|exs|erl|hs|clj|gradle|tf|mk)$|(?:^|\/)(?:Makefile|Dockerfile|justfile)$/i;
const PROSE_FILE = /\.(?:md|mdx|txt|rst|adoc)$/i;
const MOST_REPOSITORY_FILES = 50_000;
const MOST_REPOSITORY_BYTES = 100_000_000;
const MOST_SOURCE_BYTES = 2_000_000;

/** Options of `readRepository`. */
interface RepositoryOptions {
  /** Paths below the root that are not read. */
  readonly ignore?: readonly string[];
}

interface FoundPaths {
  readonly files: Set<string>;
  readonly folders: Set<string>;
  /** Files that git ignores; they are listed, and not read. */
  readonly ignored: Set<string>;
  isGit: boolean;
  isWhole: boolean;
}

/** Level by level, so that git is asked once for each. Ignored folders are listed, and not entered. */
export function* walkFolders(root: string, ignore: readonly string[]): Generator<void, FoundPaths> {
  const found: FoundPaths = {
    ...{ files: new Set(), folders: new Set(), ignored: new Set() },
    ...{ isGit: gitFolderOf(root) !== undefined, isWhole: true },
  };
  const passed = new Set(ignore.map((each) => each.replace(/\/$/, "")));
  const hasRules = found.isGit && existsSync(path.join(root, ".gitignore"));
  for (let level = [""]; level.length > 0; ) {
    const [files, folders]: [string[], string[]] = [[], []];
    for (const folder of level) {
      yield;
      for (const entry of listFolder(path.join(root, folder))) {
        const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (passed.has(below)) continue;
        if (!entry.isDirectory()) files.push(below);
        else {
          found.folders.add(below);
          if (!generatedFolders.has(entry.name) && (hasRules || !buildFolders.has(entry.name)))
            folders.push(below);
        }
        if (found.files.size + files.length > MOST_REPOSITORY_FILES) found.isWhole = false;
        if (!found.isWhole) return found;
      }
    }
    for (const file of files) found.files.add(file);
    const asked = [...files, ...folders.map((folder) => `${folder}/`)];
    const ignored = found.isGit && asked.length > 0 ? ignoredPaths(root, asked) : new Set<string>();
    if (!ignored) found.isGit = false;
    for (const each of ignored ?? []) found.ignored.add(each);
    level = folders.filter((folder) => !found.ignored.has(`${folder}/`));
  }
  return found;
}

function listFolder(folder: string) {
  return tolerating(() => readdirSync(folder, { withFileTypes: true }), "ENOENT", "EACCES", "EPERM") ?? [];
}

const WORD = /[A-Za-z_$][\w$]*(?:-[A-Za-z\d][\w]*)*/g;
const KEY = /["'`]([\w][\w:.-]*)["'`]|(?<![\w.-])([A-Za-z_$][\w$-]*)["']?\s{0,2}\??:(?!:)/g;
const FLAG_NAME =
  /(?<![\w-])--([A-Za-z][\w-]*)|(?<![\w.-])["']?([A-Za-z][\w-]*)["']?:\s{0,2}(?:\{\s{0,40}(?:type|alias|description|default|short)\b|Flags\.)|\b(?:option|flag|long|argument|switch)\w{0,8}(?:\(|\s?=\s?)\s{0,4}["']-{0,2}([A-Za-z][\w-]*)/g;
const DOTTED = /(?<![\w.$-])[a-z]\w*(?:\.[a-z]\w*)+(?![\w(])/g;

function takeWords(text: string, into: Set<string>) {
  for (const [word] of text.matchAll(WORD)) {
    into.add(word);
    if (word.includes("-")) for (const part of word.split("-")) into.add(part);
  }
}

function takeNames(text: string, pattern: RegExp, into: Set<string>) {
  for (const [whole, ...groups] of text.matchAll(pattern))
    into.add(groups.find((group) => group !== undefined) ?? whole);
}

/** Undefined for what is too large, no text, or cannot be read. */
export function readSourceText(file: string, mostBytes = MOST_SOURCE_BYTES) {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.size > mostBytes) return undefined;
    const text = readFileSync(file, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

const withoutScope = (name: string) => name.replace(/^@[^/]+\//, "");

function takePackage(manifest: JsonObject, into: Names) {
  if (typeof manifest.name === "string") into.names.add(manifest.name).add(withoutScope(manifest.name));
  for (const kind of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]) {
    const packages = manifest[kind];
    if (isObject(packages))
      for (const name of Object.keys(packages)) into.tools.add(name).add(withoutScope(name));
  }
  if (isObject(manifest.scripts))
    for (const [script, command] of Object.entries(manifest.scripts)) {
      into.scripts.add(script);
      for (const [program] of String(command).matchAll(/(?<![\w./@:=-])[a-z][\w-]*(?![\w./:=])/g))
        into.tools.add(program);
    }
  if (isObject(manifest.bin)) for (const program of Object.keys(manifest.bin)) into.programs.add(program);
  else if (typeof manifest.bin === "string" && typeof manifest.name === "string")
    into.programs.add(withoutScope(manifest.name));
}

/** `[project.scripts]` of Python, and the programs of a crate. */
function takePrograms(text: string, into: Set<string>) {
  const [, scripts = ""] =
    /^\[(?:project|tool\.poetry)\.scripts\]\s*$([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(text) ?? [];
  for (const [, program = ""] of scripts.matchAll(/^["']?([\w.-]+)["']?\s*=/gm)) into.add(program);
  for (const [, program = ""] of text.matchAll(
    /^\[(?:\[bin\]|package)\]\s*\n(?:(?!\[).*\n)*?name\s*=\s*"([^"]+)"/gm,
  ))
    into.add(program);
}

function takeManifest(file: string, text: string, into: Names) {
  const name = path.posix.basename(file);
  const isJust = /^\.?justfile$/i.test(name);
  if (isJust || /^(?:gnu)?makefile$|\.mk$/i.test(name))
    for (const [, targets = ""] of text.matchAll(/^@?([\w./-][^:=\n#]*):(?!=)/gm))
      for (const target of targets.split(/\s+/)) (isJust ? into.recipes : into.makeTargets).add(target);
  if (name === "pyproject.toml" || name === "Cargo.toml") {
    takePrograms(text, into.programs);
    const own = /^\[(?:project|package|tool\.poetry)\]\s*\n(?:(?!\[).*\n)*?name\s*=\s*["']([^"']+)["']/m.exec(
      text,
    )?.[1];
    if (own !== undefined) into.names.add(own);
  }
  if (name === "go.mod") {
    const own = /^module\s+(\S+)/m.exec(text)?.[1] ?? "";
    into.names.add(own).add(path.posix.basename(own));
  }
  const manifest = name === "package.json" ? parseJson(text) : undefined;
  if (isObject(manifest)) takePackage(manifest, into);
}

function branchesOf(root: string): Set<string> {
  const git = gitFolderOf(root);
  const branches = new Set<string>();
  if (git === undefined) return branches;
  const take = (ref: string) => {
    const name = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref)?.[1];
    if (name !== undefined) branches.add(name);
  };
  const packed = readSourceText(path.join(git, "packed-refs")) ?? "";
  for (const [, ref] of packed.matchAll(/^[0-9a-f]{40,64} (\S+)$/gm)) take(ref ?? "");
  const refs = path.join(git, "refs");
  if (existsSync(refs))
    for (const name of readdirSync(refs, { recursive: true, encoding: "utf8" }))
      if (statIfThere(path.join(refs, name))?.isFile()) take(`refs/${name.split(path.sep).join("/")}`);
  const isAlone = !/refs\/remotes\//.test(packed) && !existsSync(path.join(refs, "remotes"));
  if (isAlone && /^\[remote /m.test(readSourceText(path.join(git, "config")) ?? "")) return new Set();
  const head = /^ref: refs\/heads\/(.+)$/m.exec(readSourceText(path.join(git, "HEAD")) ?? "")?.[1];
  if (head !== undefined) branches.add(head.trim());
  return branches;
}

/** By the name that the code uses: the packages that it comes from. */
type Imports = Map<string, Set<string>>;

const SCRIPT_IMPORT = /\bimport\s+(?:type\s+)?([\w$*{}\s,]{1,400}?)\s+from\s+["']([^."'][^"']*)["']/g;

const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+(\.*\w[\w.]*|\.+)[ \t]+import[ \t]+\(?([\w\s,]+)|import[ \t]+([\w., ]+))/gm;
const GO_IMPORT = /^[ \t]*(?:import[ \t]+)?(?:([\w.]+)[ \t]+)?"([\w./-]+)"[ \t]*$/gm;

const lastNames = (list: string) =>
  list.split(/[{},]/).flatMap((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? []);

function takeImports(file: string, text: string, into: Imports) {
  const take = (name: string, from: string): unknown =>
    (into.get(name) ?? into.set(name, new Set()).get(name))?.add(from);
  if (/\.[cm]?[jt]sx?$/.test(file))
    for (const [, names = "", from = ""] of text.matchAll(SCRIPT_IMPORT)) {
      const name = /^(?:node:)?((?:@[^/]+\/)?[^/]+)/.exec(from)?.[1] ?? from;
      for (const own of lastNames(names)) take(own, name);
    }
  if (file.endsWith(".py"))
    for (const [, from, names = "", modules = ""] of text.matchAll(PYTHON_IMPORT))
      for (const own of lastNames(from === undefined ? modules : names))
        take(own, (from ?? modules).trim().split(/[.,\s]/)[0] ?? "");
  if (file.endsWith(".go"))
    for (const [, alias, from = ""] of text.matchAll(GO_IMPORT))
      take(alias ?? path.posix.basename(from), from);
}

function takeText(file: string, text: string, isCode: boolean, into: Names, imports: Imports) {
  takeWords(text, isCode ? into.words : into.proseWords);
  takeNames(text, DOTTED, isCode ? into.dotted : into.documented);
  if (!isCode) return;
  takeImports(file, text, imports);
  takeNames(text, KEY, into.keys);
  takeNames(text, FLAG_NAME, into.flags);
}

/** Yields after each folder and each file. */
function* readInSteps(root: string, { ignore = [] }: RepositoryOptions): Generator<void, Repository> {
  const { files, folders, ignored, isGit, isWhole } = yield* walkFolders(root, ignore);
  const names = Object.fromEntries(nameKinds.map((kind) => [kind, new Set<string>()])) as Names;
  names.names.add(path.basename(root));
  const imports: Imports = new Map();
  const goMains = new Set<string>();
  let bytes = 0;
  for (const file of files) {
    const isCode = CODE_FILE.test(file);
    if ((!isCode && !PROSE_FILE.test(file)) || ignored.has(file)) continue;
    if (bytes > MOST_REPOSITORY_BYTES) break;
    yield;
    const text = readSourceText(path.join(root, file));
    if (text === undefined) continue;
    bytes += text.length;
    takeText(file, text, isCode, names, imports);
    takeManifest(file, text, names);
    if (path.posix.basename(file) === "main.go") goMains.add(path.posix.dirname(file));
  }
  for (const folder of goMains)
    for (const name of folder === "." ? names.names : [path.posix.basename(folder)]) names.programs.add(name);
  const isOwn = (from: string) =>
    from === "" ||
    [...names.names].some((name) => from === name || from.startsWith(`${name}/`)) ||
    [from, `src/${from}`].some((each) => folders.has(each) || files.has(`${each}.py`));
  const imported = new Set([...imports].flatMap(([name, from]) => ([...from].some(isOwn) ? [] : [name])));
  const isRead = isWhole && bytes <= MOST_REPOSITORY_BYTES;
  return { ...names, root, files, folders, isGit, isWhole: isRead, imported, branches: branchesOf(root) };
}

/** Reads a repository once; every memory is then checked against that. */
export function readRepository(root: string, options: RepositoryOptions = {}): Repository {
  const steps = readInSteps(root, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const TURN_MS = 10;

/** The same without blocking other work for more than a few milliseconds; undefined when it takes longer than `mostMs`. */
export async function readRepositoryBeside(
  root: string,
  { mostMs, ...options }: RepositoryOptions & { readonly mostMs: number },
): Promise<Repository | undefined> {
  const steps = readInSteps(root, options);
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
