// Exchanges memories, which are Markdown files: what two machines changed in one file is merged, and no line of either is lost.
import path from "node:path";
import { isObject, readJson, sha256, ThroughlineError, writeJson } from "../lib/index.ts";
import { folderTexts, INDEX_FILE, type MemoryPlace, writeReceived } from "../memdir/index.ts";
import { MOST_FILES } from "../server/wire.ts";
import type { Store } from "../store/index.ts";
import type { MemoryChange, RemoteClient } from "./client.ts";
import { mergeTexts } from "./merge.ts";
import { presentFolders, projectNames } from "./projects.ts";

/** What the server had when both were the same. */
interface Shared {
  readonly revision: number;
  /** Null for a file that was deleted. */
  readonly body: string | null;
}

type SharedFiles = Map<string, Shared>;

interface MemoryExchange {
  readonly client: RemoteClient;
  /** The name of the project on the server. */
  readonly project: string;
  readonly place: MemoryPlace;
}

/** Each round merges what came and sends what is here; another machine may be faster. */
const MOST_ROUNDS = 10;

const stateFile = ({ books }: MemoryPlace) => path.join(books, "remote.json");

function readShared(place: MemoryPlace, url: string): SharedFiles {
  const found = readJson(stateFile(place));
  const files = isObject(found) && found.url === url && isObject(found.files) ? found.files : {};
  return new Map(
    Object.entries(files).flatMap(([file, one]): [string, Shared][] =>
      isObject(one) && typeof one.revision === "number"
        ? [[file, { revision: one.revision, body: typeof one.body === "string" ? one.body : null }]]
        : [],
    ),
  );
}

const keepShared = (place: MemoryPlace, url: string, shared: SharedFiles) =>
  writeJson(stateFile(place), { url, files: Object.fromEntries(shared) });

/** Beside the file, the same name on every machine: a person decides what of it is wanted. */
const conflictName = (file: string, mine: string) =>
  `${file.replace(/\.md$/i, "")}-conflict-${sha256(mine).slice(0, 6)}.md`;

/** What is to be written here, by file; undefined removes it. */
function merged(file: string, base: string, mine: string, theirs: string): ReadonlyMap<string, string> {
  const { text, isConflict } = mergeTexts(base, mine, theirs);
  // Lines of the index stand for themselves: those of both are wanted.
  if (!isConflict || file === INDEX_FILE) return new Map([[file, text]]);
  return new Map([
    [file, theirs],
    [conflictName(file, mine), mine],
  ]);
}

/** Takes what others changed. An edit wins over a deletion that did not know it. */
async function take({ client, project, place }: MemoryExchange, shared: SharedFiles) {
  const known = Object.fromEntries([...shared].map(([file, { revision }]) => [file, revision]));
  const changed = await client.changedMemories(project, known);
  if (changed.length === 0) return false;
  const here = await folderTexts(place);
  const writes = new Map<string, string | undefined>();
  for (const { file, revision, body } of changed) {
    const before = shared.get(file);
    const mine = here.get(file);
    const base = before?.body ?? undefined;
    shared.set(file, { revision, body });
    // The server was set back to an older state: what is here is newer.
    if (before !== undefined && revision < before.revision) continue;
    if (mine === base) writes.set(file, body ?? undefined);
    else if (mine !== undefined && body !== null)
      for (const [name, text] of merged(file, base ?? "", mine, body)) writes.set(name, text);
    else if (mine === undefined && body !== null) writes.set(file, body);
  }
  const edits = [...writes].filter(([file, text]) => here.get(file) !== text);
  await writeReceived(
    place,
    edits.map(([file, text]) => ({ file, text, over: here.get(file) })),
  );
  return true;
}

/** Sends what was changed here. */
async function give({ client, project, place }: MemoryExchange, shared: SharedFiles) {
  const here = await folderTexts(place);
  const changes: MemoryChange[] = [];
  for (const file of new Set([...here.keys(), ...shared.keys()])) {
    const known = shared.get(file);
    const body = here.get(file) ?? null;
    if (body !== (known?.body ?? null)) changes.push({ file, from: known?.revision ?? 0, body });
  }
  for (let at = 0; at < changes.length; at += MOST_FILES) {
    for (const { file, revision, body } of await client.keepMemories(
      project,
      changes.slice(at, at + MOST_FILES),
    )) {
      shared.set(file, { revision, body });
      // The server removes secrets by its own rules.
      const mine = here.get(file);
      if (body !== null && mine !== undefined && body !== mine)
        await writeReceived(place, [{ file, text: body, over: mine }]);
    }
  }
  return changes.length > 0;
}

async function exchangeFolder(parts: MemoryExchange) {
  const { client, place } = parts;
  const shared = readShared(place, client.url);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const taken = await take(parts, shared);
    const given = await give(parts, shared);
    keepShared(place, client.url, shared);
    if (!taken && !given) return;
  }
}

interface MemoryParts {
  readonly store: Store;
  readonly client: RemoteClient;
  /** Where the memories of a folder of work are. */
  readonly placeOf: (folder: string) => MemoryPlace;
  readonly onProblem: (folder: string, problem: string) => void;
}

/** Of every project that is on this machine. Throws when the server is away or refuses the key; another problem is that of its folder alone. */
export async function exchangeMemories({ store, client, placeOf, onProblem }: MemoryParts) {
  const { outgoingName } = await projectNames(store);
  const done = new Set<string>();
  for (const { project, folder } of await presentFolders(store)) {
    try {
      const place = placeOf(folder);
      if (done.has(place.folder)) continue;
      done.add(place.folder);
      await exchangeFolder({ client, project: outgoingName(project), place });
    } catch (error) {
      if (!(error instanceof ThroughlineError) || ["server-absent", "access-refused"].includes(error.code))
        throw error;
      // Such as another program that wrote into the folder in between: the next exchange takes that in.
      onProblem(folder, error.message);
    }
  }
}
