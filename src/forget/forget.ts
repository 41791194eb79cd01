// Forgets a scope: previews what will be deleted, deletes it from every store, then searches again to verify.

import { readFileSync } from "node:fs";
import path from "node:path";
import { archiveFolder, listArchives, removeArchive } from "../archive/index.ts";
import {
  answersFolder,
  chooseByBeginning,
  type Home,
  listSessions,
  liveFolder,
  projectOf,
  safeName,
  spoolFolder,
  upkeepLock,
} from "../home/index.ts";
import type { TranscriptMarks } from "../intake/index.ts";
import {
  defined,
  fileSize,
  givenText,
  isObject,
  namesIn,
  parseJson,
  readJson,
  removeFile,
  removeTree,
  statIfThere,
  sumOf,
  usageError,
  withLock,
  writeJson,
} from "../lib/index.ts";
import { forgetDamaged } from "../recovery/index.ts";
import { archiveSettings } from "../settings/index.ts";
import { forgetSnapshots, journalIn } from "../snapshot/index.ts";
import { type CapturedEvent, isCapturedEvent } from "../spool/index.ts";
import {
  type Counts,
  type EventStore,
  everyRow,
  type Scope,
  type Session,
  type Store,
} from "../store/index.ts";
import type { Vault } from "../vault/index.ts";

export interface ForgetParts {
  readonly home: Home;
  readonly store: Store;
  readonly vault: Vault;
  readonly marks: TranscriptMarks;
  readonly now: number;
}

/** Everything that is kept about a scope. */
export interface Belongings {
  readonly rows: Counts;
  readonly vault: { readonly blobs: number; readonly bytes: number };
  /** Sessions whose own folder (ledger, notes) goes. */
  readonly folders: readonly string[];
  /** Events that wait in the spool, or were set aside there. */
  readonly spooled: number;
  /** Conversations that were archived as files. */
  readonly archives: readonly string[];
}

export interface ForgetReport {
  /** The scope with its session and project named in full. */
  readonly scope: Scope;
  readonly found: Belongings;
  /** Looked for again afterwards. Absent when nothing was to be deleted yet. */
  readonly left?: Belongings;
}

async function allSessions(store: EventStore, { project }: Scope) {
  const found: Session[] = [];
  for await (const session of everyRow(store.sessions, defined({ project }))) found.push(session);
  return found;
}

const inTime = ({ from, to }: Scope, first: number, last = first) =>
  (from === undefined || first >= Date.parse(from)) && (to === undefined || last < Date.parse(to));

/** The project of that id, of that folder, or the only one with that name (its id without the hash). */
function fullProject(wanted: string, known: readonly string[]) {
  if (known.includes(wanted)) return wanted;
  const [only, another] = known.filter((id) => id.replace(/-[0-9a-f]{8}$/, "") === wanted);
  if (only !== undefined && another === undefined) return only;
  if (another !== undefined) {
    throw usageError(`several projects are called ${wanted}`, `name one: ${[only, another].join(", ")}`);
  }
  return path.isAbsolute(wanted) ? projectOf(wanted).id : wanted;
}

async function fullScope({ home, store, vault }: ForgetParts, scope: Scope): Promise<Scope> {
  const { session, project } = scope;
  const projects = project === undefined ? [] : (await store.stats()).projects.map((known) => known.project);
  const named = { ...scope, ...(project !== undefined && { project: fullProject(project, projects) }) };
  if (session === undefined) return named;
  const known = [
    ...(await allSessions(store, {})).map(({ claudeSessionId }) => claudeSessionId),
    ...vault.sessions().map((summary) => summary.session),
    ...listSessions(home).map((place) => place.session),
    ...archivesIn(home).map((archive) => archive.session),
  ];
  return { ...named, session: chooseByBeginning(known, session) ?? session };
}

/** The sessions that are in the scope as a whole. Of other sessions only the rows in it are deleted; their vault stays. */
async function wholeSessions({ home, store, vault }: ForgetParts, scope: Scope) {
  const isWanted = (session: string) => scope.session === undefined || scope.session === session;
  const stored = (await allSessions(store, scope))
    .filter((row) => inTime(scope, row.createdAtEpoch, row.lastActivityEpoch))
    .map(({ claudeSessionId }) => claudeSessionId)
    .filter(isWanted);
  if (scope.from !== undefined || scope.to !== undefined) return stored;
  // Not every session has rows: a ledger or stored bytes may be all there is of it.
  const places = listSessions(home).filter(({ project }) => project === safeName(scope.project ?? project));
  const unplaced = scope.project === undefined ? [...vault.sessions(), ...archivesIn(home)] : [];
  const beside = [...places, ...unplaced].map(({ session }) => session);
  const isNamed = scope.session !== undefined || scope.project !== undefined;
  return [...new Set([...stored, ...(isNamed ? beside.filter(isWanted) : [])])];
}

function isInScope(scope: Scope, event: CapturedEvent) {
  return (
    (scope.session === undefined || event.session === scope.session) &&
    (scope.project === undefined || (event.cwd !== undefined && projectOf(event.cwd).id === scope.project)) &&
    inTime(scope, Date.parse(event.at))
  );
}

function spooledIn(home: Home, scope: Scope) {
  const folder = spoolFolder(home);
  return [folder, path.join(folder, "bad")]
    .flatMap((place) => namesIn(place).map((name) => path.join(place, name)))
    .filter((file) => {
      if (!file.endsWith(".json") || !statIfThere(file)?.isFile()) return false;
      const event = parseJson(readFileSync(file, "utf8"));
      return isCapturedEvent(event) && isInScope(scope, event);
    });
}

/** Those in the data folder, in the folder that is set, and in every other that archives were written to. */
function archivesIn(home: Home) {
  const settings = archiveSettings(home, process.env)();
  const set = archiveFolder(settings ?? { dir: "" }, home);
  const folders = new Set([home.data, set, ...notedArchiveFolders(home)]);
  return [...folders].flatMap((folder) => listArchives(folder));
}

async function find(parts: ForgetParts, scope: Scope) {
  const { home, store, vault } = parts;
  const sessions = await wholeSessions(parts, scope);
  const own = new Set(sessions);
  const ownFolders = new Set(sessions.map(safeName));
  const blobs = vault.onlyOf(own);
  const folders = listSessions(home).filter(({ session }) => ownFolders.has(session));
  const spoolFiles = spooledIn(home, scope);
  const archives = archivesIn(home).filter(({ session }) => own.has(session));
  const belongings = {
    rows: await store.previewForget(scope),
    vault: { blobs: blobs.length, bytes: sumOf(blobs, ({ bytes }) => bytes) },
    folders: folders.map(({ project, session }) => `${project}/${session}`),
    spooled: spoolFiles.length,
    archives: archives.map(({ file }) => file),
  };
  return { belongings, sessions, folders, spoolFiles, archives };
}

/** What was read of their transcripts is not read again, although the agent still has the files. */
async function leaveTranscripts({ store, marks, now }: ForgetParts, sessions: readonly string[]) {
  const files = new Set<string>();
  for (const session of sessions) {
    const [event] = (await store.events({ session, limit: 1 })).items;
    if (event?.transcript !== undefined) files.add(event.transcript);
    for (const mark of marks.named()) if (mark.session === session) files.add(mark.file);
  }
  for (const file of files) marks.forget(file, fileSize(file), now);
  marks.save();
}

/** What would go. Deletes nothing. */
export async function previewForget(parts: ForgetParts, scope: Scope): Promise<ForgetReport> {
  const full = await fullScope(parts, scope);
  return { scope: full, found: (await find(parts, full)).belongings };
}

/** Deletes from spool, store, vault, session folders and archives, in this order: nothing that is gone can be filled in again. */
export async function forgetEverywhere(parts: ForgetParts, scope: Scope): Promise<ForgetReport> {
  // Waits for a running backup: it has already listed the files that are deleted here.
  return withLock(upkeepLock(parts.home), () => forgetUnderLock(parts, scope));
}

async function forgetUnderLock(parts: ForgetParts, scope: Scope): Promise<ForgetReport> {
  const full = await fullScope(parts, scope);
  const found = await find(parts, full);
  await leaveTranscripts(parts, found.sessions);
  for (const file of found.spoolFiles) removeFile(file);
  await parts.store.forget(full);
  for (const session of found.sessions) {
    parts.vault.forget({ session });
    forgetLiveEdits(parts.home, session);
  }
  for (const { folder } of found.folders) {
    forgetSnapshots(journalIn(folder));
    removeTree(folder);
  }
  for (const archive of found.archives) removeArchive(archive);
  // Any prepared answer may contain forgotten text. They are made again when sessions end.
  removeTree(answersFolder(parts.home));
  forgetDamaged(parts.home);
  return { scope: full, found: found.belongings, left: (await find(parts, full)).belongings };
}

/** Edits of requests hold words of the conversation: those of the session, and of its subagents. */
function forgetLiveEdits(home: Home, session: string) {
  const folder = liveFolder(home);
  const own = namesIn(folder).filter((name) => name.startsWith(`${session.replace(/[^A-Za-z0-9-]/g, "_")}.`));
  for (const name of own) removeFile(path.join(folder, name));
}

function readTime(name: string, value: unknown) {
  const given = givenText(value);
  if (given === undefined) return undefined;
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw usageError(`${name} is an ISO time, not ${given}`);
  return new Date(time).toISOString();
}

/** Throws `usage` for invalid times. */
export function readScope(value: unknown): Scope {
  const given = isObject(value) ? value : {};
  return defined({
    session: givenText(given.session),
    project: givenText(given.project),
    from: readTime("from", given.from),
    to: readTime("to", given.to),
  });
}

const registerIn = (home: Home) => path.join(home.data, "archive-folders.json");

function notedArchiveFolders(home: Home) {
  const noted = readJson(registerIn(home));
  return Array.isArray(noted) ? noted.filter((folder) => typeof folder === "string") : [];
}

export function noteArchiveFolder(home: Home, folder: string) {
  if (folder === home.data) return;
  const noted = notedArchiveFolders(home);
  if (!noted.includes(folder)) writeJson(registerIn(home), [...noted, folder], 2);
}
