// Checks whether a memory still holds: each reference is looked for in the repository as it is now.
import { nearest } from "../lib/index.ts";
import { buildFolders, generatedFolders, ignoredPaths } from "./ignored.ts";
import { builtins, isForeignSetting, isForeignVariable } from "./knownNames.ts";
import { findReferences, type MemoryReference, NAMED_FILE } from "./references.ts";
import type { Repository } from "./repository.ts";

/** How far what a memory claims still holds. */
export type TruthStanding = "fresh" | "stale" | "unverifiable";

/** A reference with what the repository says of it now. */
export interface CheckedReference {
  readonly reference: MemoryReference;
  readonly standing: TruthStanding;
  /** What was looked for, and what was found. */
  readonly evidence: string;
}

/** What became of the claims of a memory. */
export interface TruthVerdict {
  /** Stale when anything is; fresh when something was found and nothing was missed. */
  readonly standing: TruthStanding;
  readonly checked: readonly CheckedReference[];
}

type CheckResult = readonly [TruthStanding, string];

const similar = (word: string, candidates: Iterable<string>) => {
  // Typos keep the first letter and nearly the length; comparing with every word of a repository would take long.
  const near = [...candidates].filter(
    (each) => each[0] === word[0] && Math.abs(each.length - word.length) < 4,
  );
  const meant = nearest(word, near);
  return meant === undefined ? "" : `; the nearest is ${meant}`;
};

/** Numbers of this check. All are choices; `lint.test.ts` and `truth.test.ts` hold them. */
const referenceLimits = {
  /** A longer glob, or one with more stars, could take too long to match. */
  globCharacters: 300,
  globStars: 8,
  /** So many variables with one prefix are a family of the repository. */
  familyVariables: 2,
} as const;

const isTooComplex = (glob: string) =>
  glob.length > referenceLimits.globCharacters ||
  glob.split("*").length - 1 > referenceLimits.globStars ||
  /(?:\*\*\/){2}/.test(glob);

function globPattern(glob: string) {
  const source = glob.replace(/\*\*\/?|[*?]|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return part.startsWith("**") ? (part === "**" ? ".*" : "(?:.*/)?") : `\\${part}`;
  });
  return new RegExp(`^(?:.*/)?${source}$`);
}

/** Whether git ignores a path, or it is of a kind that is not read. */
function isBuildOutput(wanted: string, isFolder: boolean, { root, files, folders, isGit }: Repository) {
  if (isGit && ignoredPaths(root, [isFolder ? `${wanted}/` : wanted])?.size === 1) return true;
  return wanted.split("/").some((part, at, parts) => {
    if (generatedFolders.has(part)) return true;
    const folder = parts.slice(0, at + 1).join("/");
    // A folder of that name that was read has files.
    return (
      buildFolders.has(part) &&
      (!folders.has(folder) || ![...files].some((file) => file.startsWith(`${folder}/`)))
    );
  });
}

function checkPath({ text }: MemoryReference, repository: Repository): CheckResult {
  const { files, folders, words } = repository;
  const wanted = text.replace(/\/$/, "").replace(/^(?:\.\.\/)+/, "");
  if (files.has(wanted) || folders.has(wanted)) return ["fresh", `${wanted} is there`];
  if (wanted.includes("*")) {
    if (isTooComplex(wanted)) return ["unverifiable", `${wanted} is no pattern that can be looked for`];
    const pattern = globPattern(wanted);
    const match = [...files, ...folders].find((file) => pattern.test(file));
    return match === undefined
      ? ["stale", `nothing matches ${wanted}`]
      : ["fresh", `${match} matches ${wanted}`];
  }
  // A path may be given from a folder further down.
  const suffix = [...files, ...folders].find((file) => file.endsWith(`/${wanted}`));
  if (suffix !== undefined) return ["fresh", `${suffix} is there`];
  if (isBuildOutput(wanted, text.endsWith("/"), repository))
    return ["unverifiable", `${wanted} is not kept in the repository`];
  const [top = ""] = wanted.split("/");
  if (!/\.[A-Za-z0-9]+$/.test(wanted) && !NAMED_FILE.test(wanted)) {
    // Two words with a slash between them may be anything; a folder that is there says that it is a path.
    if (!folders.has(top) && !text.endsWith("/")) return ["unverifiable", `${wanted} may be no path`];
  } else if (!wanted.includes("/") && words.has(wanted.replace(/\.\w+$/, "")) && !isSourceName(wanted))
    return ["unverifiable", `${wanted} is no file, but the code knows the name`];
  const name = wanted.slice(wanted.lastIndexOf("/") + 1);
  const elsewhere = [...files].find((file) => file === name || file.endsWith(`/${name}`));
  return [
    "stale",
    `there is no ${wanted}${elsewhere === undefined ? "" : `; a file of that name is at ${elsewhere}`}`,
  ];
}

const isSourceName = (file: string) => /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|mdx?|rst|adoc)$/i.test(file);

function checkSymbol({ text }: MemoryReference, { words, imported, tools }: Repository): CheckResult {
  const parts = text.split(/[.#:]+/).filter((part) => part !== "");
  const [first = ""] = parts;
  const missing = parts.find((part) => !words.has(part));
  if (missing === undefined) return ["fresh", `the code has ${text}`];
  const isOfPackage = parts.length > 1 && (missing === first || imported.has(first) || tools.has(first));
  if (builtins.has(first) || isOfPackage)
    return ["unverifiable", `${text} belongs to the language or to a library`];
  return ["stale", `the code has no ${missing}${similar(missing, words)}`];
}

function checkSetting({ text }: MemoryReference, repository: Repository): CheckResult {
  const { keys, words, dotted, documented, imported, tools } = repository;
  if (keys.has(text) || dotted.has(text) || documented.has(text))
    return ["fresh", `${text} is written in the repository`];
  const parts = text.split(".");
  const [first = ""] = parts;
  if (builtins.has(first)) return ["unverifiable", `${text} may belong to the language or its library`];
  // Where names of a family are written down, one that is not among them is none of them.
  const isForeign = isForeignSetting(text) || imported.has(first) || tools.has(first);
  const family = isForeign ? [] : [...documented].filter((name) => name.startsWith(`${first}.`));
  if (family.length > 0)
    return ["stale", `${first} has no ${parts.slice(1).join(".")}${similar(text, family)}`];
  const missing = parts.find((part) => !words.has(part));
  if (missing === undefined) return ["fresh", `the code has ${parts.join(" and ")}`];
  const isUsed = [...dotted].some((name) => name.startsWith(`${first}.`));
  if (!isUsed || isForeign) return ["unverifiable", `${text} may belong to something else`];
  return ["stale", `the code has no ${missing}${similar(missing, keys)}`];
}

function checkVariable({ text }: MemoryReference, { words, proseWords, names }: Repository): CheckResult {
  if (words.has(text) || proseWords.has(text)) return ["fresh", `${text} is written in the repository`];
  const prefix = `${text.split("_")[0]}_`;
  const family = [...words].filter((word) => word.startsWith(prefix) && /^[A-Z0-9_]+$/.test(word));
  const isOwn = [...names].some((name) => `${name.replace(/\W+/g, "_").toUpperCase()}_`.startsWith(prefix));
  const isFamily = family.length >= referenceLimits.familyVariables && !isForeignVariable(text);
  if (family.length === 0 || !(isOwn || isFamily)) return ["unverifiable", `${text} may be set elsewhere`];
  return ["stale", `the repository knows ${prefix}… variables, but not ${text}${similar(text, family)}`];
}

function checkFlag({ text, program }: MemoryReference, { flags, programs }: Repository): CheckResult {
  const isOwn = program !== undefined && (programs.has(program) || program === "npm");
  if (program !== undefined && !isOwn) return ["unverifiable", `${text} is a flag of ${program}`];
  const name = text.slice(2);
  const spellings = [name, name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  const known = spellings.flatMap((spelling) => [spelling, spelling.replace(/^no-?/, "")]);
  if (known.some((spelling) => flags.has(spelling))) return ["fresh", `the code knows ${text}`];
  if (!isOwn) return ["unverifiable", `${text} may be a flag of something else`];
  return ["stale", `the code has no flag ${text}${similar(name, flags)}`];
}

function checkProgram(
  { text, program = "" }: MemoryReference,
  { programs, keys, words }: Repository,
): CheckResult {
  if (!programs.has(program)) return ["unverifiable", `${program} is not a program of this repository`];
  if (keys.has(text)) return ["fresh", `${program} has ${text}`];
  // Some programs derive commands from the names of functions.
  if (words.has(text) || words.has(text.replaceAll("-", "_")))
    return ["unverifiable", `${text} may be a command of ${program}`];
  return ["stale", `${program} has no command ${text}${similar(text, keys)}`];
}

function checkBranch({ text }: MemoryReference, { branches }: Repository): CheckResult {
  if (branches.size === 0) return ["unverifiable", "the branches are not known here"];
  if (branches.has(text.replace(/^origin\//, ""))) return ["fresh", `there is a branch ${text}`];
  return ["stale", `there is no branch ${text}${similar(text, branches)}`];
}

const has = (what: string, text: string, known: ReadonlySet<string>): CheckResult =>
  known.has(text)
    ? ["fresh", `there is a ${what} ${text}`]
    : ["stale", `there is no ${what} ${text}${similar(text, known)}`];

function checkScript({ text, program }: MemoryReference, { scripts, tools }: Repository): CheckResult {
  if (scripts.size === 0) return ["unverifiable", "there is no package.json with scripts"];
  // `pnpm vitest` runs the program of a package.
  if (program !== undefined && !scripts.has(text) && tools.has(text))
    return ["fresh", `${text} is a program that the scripts use`];
  return has("script", text, scripts);
}

const checks: Readonly<
  Record<MemoryReference["kind"], (reference: MemoryReference, repository: Repository) => CheckResult>
> = {
  path: checkPath,
  symbol: checkSymbol,
  setting: checkSetting,
  variable: checkVariable,
  flag: checkFlag,
  program: checkProgram,
  branch: checkBranch,
  script: checkScript,
  target: ({ text, program }, { recipes, makeTargets }) =>
    has("target", text, program === "just" ? recipes : makeTargets),
  url: ({ text }) =>
    isAddress(text)
      ? ["unverifiable", "addresses are not opened; its form is right"]
      : ["stale", `${text} is no address`],
};

function isAddress(text: string) {
  if (!URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  return /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-f:]+\])$/i.test(hostname);
}

function checkReference(reference: MemoryReference, repository: Repository) {
  const unverifiable = (evidence: string): CheckedReference => ({
    reference,
    standing: "unverifiable",
    evidence,
  });
  if (reference.isDisclaimed) return unverifiable("the memory itself says that it is not there, or not here");
  const [standing, evidence] = checks[reference.kind](reference, repository);
  if (standing === "stale" && !repository.isWhole && reference.kind !== "path")
    return unverifiable("the repository is too large to be read whole");
  return { reference, standing, evidence };
}

/** Checks every reference of a text against the repository as it was read; git alone is asked about ignored paths. */
export function checkTruth(text: string, repository: Repository): TruthVerdict {
  // A flag that stands alone belongs to the program that is talked about, when that is one of this repository.
  const own = [...repository.programs].find((program) => text.includes(program));
  const checked = findReferences(text).map((reference) =>
    checkReference(
      reference.kind === "flag" && own !== undefined ? { program: own, ...reference } : reference,
      repository,
    ),
  );
  // One stale reference makes the memory stale, whatever else still holds.
  const decisive = (["stale", "fresh"] as const).find((standing) =>
    checked.some((reference) => reference.standing === standing),
  );
  return { standing: decisive ?? "unverifiable", checked };
}

/** The parts of a memory that claim something. */
interface Claims {
  readonly description: string;
  readonly body: string;
}

/** The text of a memory that can be checked. */
export const claimsOf = ({ description, body }: Claims) => `${description}\n${body}`;

/** Checks what a memory says against the repository. */
export const checkMemory = (memory: Claims, repository: Repository): TruthVerdict =>
  checkTruth(claimsOf(memory), repository);
