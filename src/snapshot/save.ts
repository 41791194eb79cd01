// Takes a snapshot: gathers, keeps what is about to leave, writes the file, and refers to it; each step whole or not at all.
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Language } from "../home/index.ts";
import { createFileAtomic, SECOND } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import { redactValue } from "../redact/index.ts";
import type { Vault } from "../vault/index.ts";
import { localStamp, snapshotFolder, snapshotName, tidyFolder } from "./folder.ts";
import { excludeSnapshots, gitState, trackedPages } from "./git.ts";
import { addToJournal } from "./journal.ts";
import {
  addReference,
  type Page,
  type PageOutcome,
  pageProblems,
  pages,
  removeReference,
  tidyPage,
} from "./page.ts";
import { type ProjectStateReader, readProjectState } from "./projectState.ts";
import { renderSnapshot, type SnapshotContent } from "./render.ts";
import { sealed } from "./seal.ts";
import { saveWords } from "./words.ts";
import { conversationOf, invocationsOf, wholePieces, workingState } from "./workingState.ts";

export interface SnapshotSettings {
  readonly hours: number;
  /** How many of the last messages are kept word for word. */
  readonly messages: number;
  readonly reference: Page | "auto" | "off";
  readonly language: Language;
}

export interface SaveOptions {
  /** The folder that the agent was started in. */
  readonly project: string;
  readonly session: string;
  readonly now: number;
  /** Everything up to the compaction, oldest first. */
  readonly history: History;
  /** Where in it the part begins that the model still sees. */
  readonly windowStart: number;
  readonly settings: SnapshotSettings;
  readonly vault: Vault;
  readonly readers: readonly ProjectStateReader[];
  readonly redact: (text: string) => string;
  /** Where it is noted that this compaction has its snapshot. */
  readonly journal: string;
  readonly occasion: string;
  /** This machine's key, with which the snapshot is sealed. */
  readonly key: Uint8Array;
}

export interface SavedSnapshot {
  readonly file: string;
  readonly name: string;
  readonly at: number;
  readonly handles: readonly string[];
  readonly reference: PageOutcome | "off";
  /** For the log and for the command line. */
  readonly lines: readonly string[];
}

type Written = Pick<SavedSnapshot, "file" | "name" | "at">;

/**
 * Two snapshots of one second are told apart by the next second, which is the time of the later one from then on: in its
 * name, in its text and in the block. Also of two processes each gets a file of its own.
 */
function writeSnapshot({ project, key }: SaveOptions, content: SnapshotContent): Written {
  for (let { at } = content; ; at += SECOND) {
    const name = snapshotName(at);
    const file = path.join(snapshotFolder(project), name);
    const text = sealed(renderSnapshot({ ...content, at }), { key, project, name });
    if (createFileAtomic(file, text)) return { file, name, at };
  }
}

/** A file that git has among its own would show as changed. */
async function pageOf({ project, settings: { reference } }: SaveOptions) {
  if (reference !== "auto") return reference;
  const tracked = await trackedPages(project);
  return pages.find((page) => !tracked.has(page)) ?? "off";
}

function refer(options: SaveOptions, page: Page | "off", { name, at }: Written) {
  const { project, settings } = options;
  const { hours, language } = settings;
  const outcome = page === "off" ? page : addReference(project, page, { name, at, hours, language });
  // One block ever, also after the setting was changed.
  for (const other of pages) if (other !== page) removeReference(project, other);
  return outcome;
}

function savedLines(
  { file, at }: Written,
  language: Language,
  page: Page | "off",
  outcome: PageOutcome | "off",
) {
  const words = saveWords[language];
  const said =
    outcome === "off"
      ? words.savedWithoutReference
      : "refused" in outcome
        ? words.refused(page, pageProblems[outcome.refused])
        : words.saved(page);
  return [`SNAPSHOT_FILE=${file}`, `SNAPSHOT_TIMESTAMP=${localStamp(at)}`, said];
}

/** The state is read off the end of a conversation; what is further back would only take time. */
const MOST_STATE_BYTES = 8 * 1024 * 1024;

function latest(history: History): History {
  let left = MOST_STATE_BYTES;
  const first = history.findLastIndex(({ message }) => {
    left -= JSON.stringify(message.content).length;
    return left < 0;
  });
  return history.slice(first + 1);
}

const ITEMS_AT_ONCE = 32;

/** Before sentences and first lines are taken out of it: a part of a secret, or of what is private, looks harmless. */
async function withoutSecrets(history: History): Promise<History> {
  const safe: HistoryItem[] = [];
  for (const item of history) {
    safe.push({ ...item, message: redactValue(item.message).value });
    // A long history takes its time, and hooks of other sessions wait for answers meanwhile.
    if (safe.length % ITEMS_AT_ONCE === 0) await nextTurn();
  }
  return safe;
}

async function snapshotContent(options: SaveOptions): Promise<SnapshotContent> {
  const { project, session, now, history, settings, vault, readers, redact } = options;
  const safe = await withoutSecrets(latest(history));
  const [git, method] = await Promise.all([
    gitState(project),
    readProjectState(readers, { project, invocations: invocationsOf(safe) }),
  ]);
  const leaving = history.slice(options.windowStart);
  const origin = { session, level: "compact", note: "the conversation before a compaction" };
  const pieces = wholePieces(leaving);
  const handles = leaving.length === 0 ? [] : [vault.put(pieces.join(""), origin, pieces).handle];
  return {
    session,
    at: now,
    hours: settings.hours,
    language: settings.language,
    state: workingState({ project, history: safe, git, method }),
    said: conversationOf(history).slice(-settings.messages),
    handles,
    redact,
  };
}

/**
 * Killed between any two steps, what is there is whole: bytes in the vault that nothing names yet, then a snapshot
 * that goes by its own time, then one that is referred to, then one that is also noted.
 */
export async function saveSnapshot(options: SaveOptions): Promise<SavedSnapshot> {
  const { project, now, settings } = options;
  tidyFolder(project, now);
  for (const page of pages) tidyPage(project, page, now);
  const [content, page] = await Promise.all([snapshotContent(options), pageOf(options)]);
  // Before there is anything to see.
  excludeSnapshots(project, page);
  const written = writeSnapshot(options, content);
  const { file } = written;
  const reference = refer(options, page, written);
  // By when the compaction was noticed: that is what tells it from the next.
  addToJournal(options.journal, { at: now, file, handles: content.handles, occasion: options.occasion });
  return {
    ...written,
    handles: content.handles,
    reference,
    lines: savedLines(written, settings.language, page, reference),
  };
}
