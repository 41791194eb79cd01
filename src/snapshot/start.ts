// What happens with snapshots when a session starts: looked at, decided, carried out, and reported to user and model.
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Language } from "../home/index.ts";
import { HOUR, SECOND, systemErrorCode } from "../lib/index.ts";
import { decideSnapshot, type KnownReference, type SnapshotDecision, type StartSource } from "./decision.ts";
import { digestOf, type VoidBlock, voidText } from "./digest.ts";
import { listSnapshots, localStamp, type SnapshotFile, tidyFolder } from "./folder.ts";
import type { SnapshotProvenance } from "./git.ts";
import { type Page, pages, referenceIn, removeReference, tidyPage } from "./page.ts";
import { readSealed } from "./seal.ts";
import { reportWords } from "./words.ts";

/** Claude Code puts longer texts of a hook into a file and shows the model a glimpse. */
export const CONTEXT_LIMIT = 10_000;

export interface StartOptions extends SnapshotProvenance {
  /** The folder that Claude Code was started in. */
  readonly project: string;
  readonly session: string;
  readonly source: StartSource;
  readonly now: number;
  readonly hours: number;
  readonly language: Language;
  /** Characters that the model may be told. */
  readonly budget?: number;
  /** Keeps the bytes of a snapshot that is about to go, durably; throws when it cannot, and then the file stays. */
  readonly keep: (bytes: Uint8Array, snapshot: SnapshotFile) => void;
  /** Decide, and change nothing. */
  readonly dryRun?: boolean;
  /** Bytes that the vault has under a handle; undefined where it has none. */
  readonly sizeOf?: (handle: string) => number | undefined;
}

export interface StartReport {
  readonly decision: SnapshotDecision;
  /** The snapshot that was decided on, by its full path. */
  readonly file?: string;
  /** For the log and for the command line. */
  readonly lines: readonly string[];
  /** Full paths of the snapshots that are gone, and the pages whose block is. */
  readonly removed: readonly string[];
  readonly unreferenced: readonly Page[];
  /** Full paths of snapshots that this machine did not write, and that stay. */
  readonly foreign: readonly string[];
  /** One line for the user, and one for each foreign snapshot; absent when there is nothing to say. */
  readonly message?: string;
  /** For the model; absent unless a snapshot is loaded or a block is void. */
  readonly context?: string;
}

const asSource = (value: unknown): StartSource =>
  value === "resume" || value === "clear" || value === "fork" || value === "compact" ? value : "startup";

export { asSource as readSource };

/** Gives those that are gone. One that can be neither kept nor removed stays for another time. */
function removeSnapshots(
  found: readonly SnapshotFile[],
  names: readonly string[],
  { keep, dryRun = false }: Pick<StartOptions, "keep" | "dryRun">,
) {
  const going = found.filter(({ name }) => names.includes(name));
  return dryRun ? going : going.filter((snapshot) => removeOne(snapshot, keep));
}

function removeOne(snapshot: SnapshotFile, keep: StartOptions["keep"]) {
  try {
    // In this order: a crash in between keeps the bytes twice, never not at all. A link goes as a link.
    if (!snapshot.isLink) keep(readFileSync(snapshot.file), snapshot);
    rmSync(snapshot.file, { force: true });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

function reportLines(
  decision: SnapshotDecision,
  { now, hours, language, project }: StartOptions,
  removed: readonly SnapshotFile[],
  unreferenced: readonly Page[],
) {
  const words = reportWords[language];
  const { action, reason, at, name } = decision;
  const file = name === undefined ? undefined : path.join(project, ".claude", name);
  const times =
    at === undefined
      ? [`INFO: ${reason === "nothing" ? "No snapshot" : "Snapshot timestamp: unknown"}`]
      : [
          `INFO: Snapshot timestamp: ${localStamp(at)}`,
          `INFO: Current time: ${localStamp(now)}`,
          `INFO: Time difference: ${Number(((now - at) / HOUR).toFixed(2))} hours`,
        ];
  if (action === "NONE") return [...times, `SNAPSHOT_ACTION=${action}`];
  const said =
    action === "LOAD"
      ? [`SNAPSHOT_FILE=${file}`, reason === "own-compaction" ? words.loadOwn : words.load(hours)]
      : [reason === "expired" ? words.cleanup(hours) : `${words.cleanupOther} (${reason})`];
  return [
    ...times,
    `SNAPSHOT_ACTION=${action}`,
    ...said,
    ...removed.map((snapshot) => words.removed(snapshot.file)),
    ...unreferenced.map((page) => words.unreferenced(page)),
  ];
}

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** After its own compaction a session is told what was kept of it; at any other start, what was loaded or cleaned up. */
function messageOf(
  { action, reason, name, at }: SnapshotDecision,
  { language, now, sizeOf }: StartOptions,
  { cleaned, handles }: { readonly cleaned: number; readonly handles: readonly string[] },
) {
  const words = reportWords[language];
  if (action === "CLEANUP") return words.cleanedLine(cleaned);
  if (action !== "LOAD" || name === undefined) return undefined;
  const [handle] = handles;
  const bytes = handle === undefined ? undefined : sizeOf?.(handle);
  if (reason === "own-compaction" && handle !== undefined && bytes !== undefined)
    return words.keptLine(sizeText(bytes), handle);
  const minutes = Math.max(0, Math.round((now - (at ?? now)) / (60 * SECOND)));
  return words.loadedLine(words.minutes(minutes));
}

/** Blocks that the client may have read before this, although they do not hold, or never did. */
function voidBlocks(
  references: readonly (KnownReference & { readonly page: Page })[],
  { unreference }: SnapshotDecision,
  found: readonly SnapshotFile[],
): VoidBlock[] {
  const isOurs = (name: string | undefined) => found.some((one) => one.name === name && one.ours);
  return references
    .filter(({ page, name }) => unreference.includes(page) || !isOurs(name))
    .map(({ page, name }) => ({ page, name, why: unreference.includes(page) ? "outdated" : "foreign" }));
}

/** What the model is told: a digest of the snapshot that is loaded, and which blocks are void. */
function startContext(
  {
    decision,
    found,
    blocks,
  }: { decision: SnapshotDecision; found: readonly SnapshotFile[]; blocks: readonly VoidBlock[] },
  { project, key, language, budget = CONTEXT_LIMIT }: StartOptions,
) {
  const nonce = randomBytes(4).toString("hex");
  const told = voidText(blocks, { language, nonce });
  const about = told.length <= budget ? told : "";
  const loaded = decision.action === "LOAD" ? found.find(({ name }) => name === decision.name) : undefined;
  // Read once, and proven by what was read: the file may have been replaced since it was looked at.
  const text = loaded && key && readSealed(loaded.file, { key, project, name: loaded.name });
  if (!loaded || text === undefined) return about;
  const room = budget - (about === "" ? 0 : about.length + 2);
  const digest = digestOf(text, { ...loaded, language, nonce, budget: room });
  return [digest, about].filter((part) => part !== "").join("\n\n");
}

function isTakenOut(project: string, page: Page) {
  const outcome = removeReference(project, page);
  return "changed" in outcome && outcome.changed;
}

/** Works from files alone. Throws what the system throws when a snapshot can neither be kept nor read. */
export function startSession(options: StartOptions): StartReport {
  const { project, session, source, now, hours, language, key, tracked, dryRun = false } = options;
  if (!dryRun) {
    tidyFolder(project, now);
    for (const page of pages) tidyPage(project, page, now);
  }
  const found = listSnapshots(project, key);
  const references = pages.flatMap((page) => {
    const reference = referenceIn(project, page);
    return reference ? [{ page, name: reference.name, at: reference.at }] : [];
  });
  const validMs = hours * HOUR;
  const snapshots = found.map((one) => ({ ...one, tracked: tracked?.has(one.name) ?? true }));
  const decision = decideSnapshot({ source, session, now, validMs, references, snapshots });
  const removed = removeSnapshots(found, decision.remove, options);
  // A page that cannot be written keeps its block, and the report does not say that it was removed.
  const unreferenced = pages.filter(
    (page) => decision.unreference.includes(page) && (dryRun || isTakenOut(project, page)),
  );
  const isIdle = removed.length + unreferenced.length === 0 && decision.action === "CLEANUP";
  const foreign = found.filter((one) => !one.ours && !removed.includes(one)).map(({ file }) => file);
  const words = reportWords[language];
  const handles = found.find(({ name }) => name === decision.name)?.handles ?? [];
  const message = [
    ...(isIdle ? [] : [messageOf(decision, options, { cleaned: removed.length, handles }) ?? []]).flat(),
    ...foreign.filter((file) => !dryRun && options.isFirstSight(file)).map(words.foreign),
  ].join("\n");
  const blocks = voidBlocks(references, decision, found);
  const context = startContext({ decision, found, blocks }, options);
  return {
    decision,
    ...(decision.name !== undefined && { file: path.join(project, ".claude", decision.name) }),
    lines: [...reportLines(decision, options, removed, unreferenced), ...foreign.map(words.foreignLine)],
    removed: removed.map((snapshot) => snapshot.file),
    unreferenced,
    foreign,
    ...(message !== "" && { message }),
    ...(context !== "" && { context }),
  };
}

/** Removes every snapshot and every reference, whatever their age; a foreign one that the repository has stays. */
export function cleanSnapshots(
  options: Pick<StartOptions, "project" | "language" | "keep" | "key" | "tracked">,
): Pick<StartReport, "removed" | "unreferenced" | "lines"> {
  const { project, language, key, tracked } = options;
  const words = reportWords[language];
  const found = listSnapshots(project, key).filter(({ ours, name }) => ours || !(tracked?.has(name) ?? true));
  const removed = removeSnapshots(
    found,
    found.map(({ name }) => name),
    options,
  ).map(({ file }) => file);
  const unreferenced = pages.filter((page) => isTakenOut(project, page));
  const lines = [...removed.map(words.removed), ...unreferenced.map(words.unreferenced)];
  return { removed, unreferenced, lines };
}

/** What a SessionStart hook prints: a line for the user and a text for the model. Empty when there is neither. */
export function startOutput({ message, context }: Pick<StartReport, "message" | "context">) {
  if (message === undefined && !context) return "";
  return JSON.stringify({
    ...(message !== undefined && { systemMessage: message }),
    ...(context ? { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: context } } : {}),
  });
}
