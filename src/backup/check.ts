// Reads everything that is kept and says what is damaged, part by part: one that cannot be read hides no other.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { notesFile, notesFolder, readNotesState } from "../compact/index.ts";
import { databaseFile, type Home, ledgerFile, listSessions, vaultFolder } from "../home/index.ts";
import { openLedger } from "../ledger/index.ts";
import { BoundedMap, errorText, namesIn, sumOf, ThroughlineError } from "../lib/index.ts";
import { type MemoryPlace, readFolder } from "../memdir/index.ts";
import { automaticBackups, type Counts, openStore, requireIntact } from "../store/index.ts";
import { openVault, type Vault } from "../vault/index.ts";
import { MANIFEST } from "./manifest.ts";
import { verifySet } from "./restore.ts";

export type PartName = "database" | "vault" | "ledgers" | "notes" | "memories" | "backups";

export interface CheckedPart {
  readonly part: PartName;
  /** How many things were read: rows, blobs, lines, files. */
  readonly read: number;
  readonly problems: readonly string[];
  /** What can be done about the problems. */
  readonly fix?: string;
}

interface CheckRequest {
  readonly home: Home;
  /** The memory folders of these folders of work. */
  readonly memoriesOf: (works: readonly string[]) => readonly MemoryPlace[];
  readonly onPart?: (part: PartName) => void;
}

type PartFindings = Omit<CheckedPart, "part" | "fix">;

const partFixes: Readonly<Record<PartName, string>> = {
  database:
    "throughline data restore BACKUP puts a backup in its place; `throughline status` says what was salvaged",
  vault:
    "storing the same content again repairs a blob; throughline data restore BACKUP brings back what is missing",
  ledgers: "a damaged line is passed over; throughline data restore BACKUP brings it back",
  notes:
    "throughline notes update SESSION writes them again; throughline data restore BACKUP brings them back",
  memories: "throughline memory lint says more; throughline memory undo brings back an earlier version",
  backups: "delete the damaged backup, and make a new one: throughline data backup",
};

export async function checkEverything(
  request: CheckRequest,
): Promise<{ readonly parts: readonly CheckedPart[]; readonly counts: Counts | undefined }> {
  const { home, memoriesOf, onPart } = request;
  let known: KnownDatabase | undefined;
  const vault = openVault(vaultFolder(home));
  const checks: Readonly<Record<PartName, () => PartFindings | Promise<PartFindings>>> = {
    database: async () => {
      known = await readDatabase(home);
      return known;
    },
    vault: () => checkVault(vault),
    ledgers: () => checkLedgers(home, vault),
    notes: () => checkNotes(home),
    memories: () => checkMemories(memoriesOf(known?.works ?? [])),
    backups: () => checkBackups(home),
  };
  const parts: CheckedPart[] = [];
  for (const part of Object.keys(checks) as PartName[]) {
    onPart?.(part);
    parts.push(await isolated(part, checks[part]));
  }
  return { parts, counts: known?.counts };
}

async function isolated(
  part: PartName,
  check: () => PartFindings | Promise<PartFindings>,
): Promise<CheckedPart> {
  try {
    const { read, problems } = await check();
    return { part, read, problems, ...(problems.length !== 0 && { fix: partFixes[part] }) };
  } catch (error) {
    const fix = error instanceof ThroughlineError ? error.fix : undefined;
    return { part, read: 0, problems: [errorText(error)], fix: fix ?? partFixes[part] };
  }
}

interface KnownDatabase extends PartFindings {
  readonly works: readonly string[];
  readonly counts: Counts;
}

async function readDatabase(home: Home): Promise<KnownDatabase> {
  const store = await openStore({ file: databaseFile(home), mustExist: true });
  try {
    const { problems } = await store.integrityCheck();
    const { counts } = await store.stats();
    const works = (await store.workFolders()).map(({ folder }) => folder);
    return { read: sumOf(Object.values(counts), (count) => count), problems, counts, works };
  } finally {
    await store.close();
  }
}

function checkVault(vault: Vault): PartFindings {
  const { blobs, corrupt, missing } = vault.verify();
  return {
    read: blobs,
    problems: [
      ...corrupt.map(({ handle, file }) => `${handle} is damaged, or a part of it is missing (${file})`),
      ...missing.map(({ sha256, session }) => `tl:${sha256.slice(0, 12)} of session ${session} is missing`),
    ],
  };
}

function checkLedgers(home: Home, vault: Vault): PartFindings {
  let read = 0;
  const problems: string[] = [];
  const known = new BoundedMap<string, boolean>(100_000);
  const isKept = (handle: string) => known.remember(handle, () => isIn(vault, handle));
  for (const place of listSessions(home)) {
    const file = ledgerFile(place);
    const ledger = openLedger(file);
    const entries = ledger.entries();
    read += entries.length;
    for (const { byte, problem } of ledger.problems()) problems.push(`${file}, byte ${byte}: ${problem}`);
    for (const { id, handles = [] } of entries)
      for (const handle of handles)
        if (!isKept(handle)) problems.push(`${file}, entry ${id}: the vault has no ${handle}`);
  }
  return { read, problems };
}

function isIn(vault: Vault, handle: string) {
  try {
    vault.resolve(handle);
    return true;
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === "not-found") return false;
    throw error;
  }
}

/** Undefined for a text. */
function textProblem(file: string) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    return text.includes("\0") ? "it has NUL characters in it" : undefined;
  } catch (error) {
    return error instanceof TypeError ? "it is no text" : errorText(error);
  }
}

function checkNotes(home: Home): PartFindings {
  let read = 0;
  const problems: string[] = [];
  for (const place of listSessions(home)) {
    const folder = notesFolder(place);
    const file = notesFile(folder);
    if (!existsSync(file)) continue;
    read += 1;
    const problem = textProblem(file);
    const state = path.join(folder, "state.json");
    if (problem !== undefined) problems.push(`${file}: ${problem}`);
    else if (existsSync(state) && !readNotesState(folder)) problems.push(`${state}: it cannot be read`);
  }
  return { read, problems };
}

function checkMemories(places: readonly MemoryPlace[]): PartFindings {
  let read = 0;
  const problems: string[] = [];
  for (const place of places) {
    const { memories, unreadable } = readFolder(place);
    read += memories.length + unreadable.length;
    for (const { file, problem } of unreadable) problems.push(`${path.join(place.folder, file)}: ${problem}`);
    const index = path.join(place.folder, "MEMORY.md");
    const damaged = existsSync(index) ? textProblem(index) : undefined;
    if (damaged !== undefined) problems.push(`${index}: ${damaged}`);
  }
  return { read, problems };
}

async function checkBackups(home: Home): Promise<PartFindings> {
  const problems: string[] = [];
  const folder = path.join(home.data, "backups");
  const names = namesIn(folder).map((name) => path.join(folder, name));
  const sets = names.filter((name) => existsSync(path.join(name, MANIFEST)));
  const copies = names.filter((name) => name.endsWith(".db") && statSync(name).isFile());
  const files = [...automaticBackups(databaseFile(home)).map(({ file }) => file), ...copies];
  const attempt = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      problems.push(errorText(error));
    }
  };
  for (const set of sets) await attempt(() => verifySet(set));
  for (const file of files) await attempt(() => requireIntact(file));
  return { read: sets.length + files.length, problems };
}
