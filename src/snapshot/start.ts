// What happens with snapshots when a session starts: looked at, decided, carried out, and reported to user and model.
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type Language, SECOND, systemErrorCode } from "../lib/index.ts";
import { type Decision, decide, type StartSource } from "./decision.ts";
import { digestOf } from "./digest.ts";
import { listSnapshots, type SnapshotFile, tidyFolder } from "./folder.ts";
import { type Page, pages, referenceIn, removeReference, tidyPage } from "./page.ts";
import { localStamp } from "./stamps.ts";
import { reportWords } from "./words.ts";

/** Claude Code puts longer texts of a hook into a file and shows the model a glimpse. */
export const CONTEXT_LIMIT = 10_000;

export interface StartOptions {
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
}

export interface StartReport {
  readonly decision: Decision;
  /** The snapshot that was decided on, by its full path. */
  readonly file?: string;
  /** For the log and for whoever runs it by hand. */
  readonly lines: readonly string[];
  /** Full paths of the snapshots that are gone, and the pages whose block is. */
  readonly removed: readonly string[];
  readonly unreferenced: readonly Page[];
  /** One line for the user; absent when nothing was loaded or cleaned. */
  readonly message?: string;
  /** For the model; absent unless a snapshot is loaded. */
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
): SnapshotFile[] {
  const going = found.filter(({ name }) => names.includes(name));
  return dryRun ? going : going.filter((snapshot) => removeOne(snapshot, keep));
}

function removeOne(snapshot: SnapshotFile, keep: StartOptions["keep"]): boolean {
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

function linesOf(
  decision: Decision,
  { now, hours, language, project }: StartOptions,
  removed: readonly SnapshotFile[],
  unreferenced: readonly Page[],
): string[] {
  const words = reportWords[language];
  const { action, reason, at, name } = decision;
  const file = name === undefined ? undefined : path.join(project, ".claude", name);
  const times =
    at === undefined
      ? [`INFO: ${reason === "nothing" ? "No snapshot" : "Snapshot timestamp: unknown"}`]
      : [
          `INFO: Snapshot timestamp: ${localStamp(at)}`,
          `INFO: Current time: ${localStamp(now)}`,
          `INFO: Time difference: ${Number(((now - at) / 3_600_000).toFixed(2))} hours`,
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

function messageOf(
  { action, name, at }: Decision,
  { language, now }: StartOptions,
  cleaned: number,
): string | undefined {
  const words = reportWords[language];
  if (action === "CLEANUP") return words.cleanedLine(cleaned);
  if (action !== "LOAD" || name === undefined) return undefined;
  const minutes = Math.max(0, Math.round((now - (at ?? now)) / (60 * SECOND)));
  return words.loadedLine(`.claude/${name}`, words.minutes(minutes));
}

function isTakenOut(project: string, page: Page): boolean {
  const outcome = removeReference(project, page);
  return "changed" in outcome && outcome.changed;
}

/** Works from files alone. Throws what the system throws when a snapshot can neither be kept nor read. */
export function startSession(options: StartOptions): StartReport {
  const { project, session, source, now, hours, language, budget = CONTEXT_LIMIT, dryRun = false } = options;
  if (!dryRun) {
    tidyFolder(project, now);
    for (const page of pages) tidyPage(project, page, now);
  }
  const found = listSnapshots(project);
  const references = pages.flatMap((page) => {
    const reference = referenceIn(project, page);
    return reference ? [{ page, name: reference.name, at: reference.at }] : [];
  });
  const validMs = hours * 3_600_000;
  const decision = decide({ source, session, now, validMs, references, snapshots: found });
  const removed = removeSnapshots(found, decision.remove, options);
  // A page that may not be written keeps its block, and nobody says otherwise.
  const unreferenced = pages.filter(
    (page) => decision.unreference.includes(page) && (dryRun || isTakenOut(project, page)),
  );
  const isIdle = removed.length + unreferenced.length === 0 && decision.action === "CLEANUP";
  const message = isIdle ? undefined : messageOf(decision, options, removed.length);
  const loaded = decision.action === "LOAD" ? found.find(({ name }) => name === decision.name) : undefined;
  return {
    decision,
    ...(decision.name === undefined ? {} : { file: path.join(project, ".claude", decision.name) }),
    lines: linesOf(decision, options, removed, unreferenced),
    removed: removed.map((snapshot) => snapshot.file),
    unreferenced,
    ...(message === undefined ? {} : { message }),
    ...(loaded === undefined
      ? {}
      : {
          context: digestOf(readFileSync(loaded.file, "utf8"), {
            file: loaded.file,
            handles: loaded.handles,
            language,
            budget,
          }),
        }),
  };
}

/** Removes every snapshot and every reference, whatever their age. */
export function cleanSnapshots(
  options: Pick<StartOptions, "project" | "language" | "keep">,
): Pick<StartReport, "removed" | "unreferenced" | "lines"> {
  const { project, language } = options;
  const words = reportWords[language];
  const found = listSnapshots(project);
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
export function startOutput({ message, context }: Pick<StartReport, "message" | "context">): string {
  if (message === undefined && !context) return "";
  return JSON.stringify({
    ...(message === undefined ? {} : { systemMessage: message }),
    ...(context ? { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: context } } : {}),
  });
}
