// Takes a snapshot: gathers, keeps what is about to leave, writes the file, and refers to it; each step whole or not at all.
import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Language, SECOND, writeFileAtomic } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import { redactValue } from "../redact/index.ts";
import type { Vault } from "../vault/index.ts";
import { conversationOf, invocationsOf, wholeText } from "./conversation.ts";
import { excludeSnapshots } from "./exclude.ts";
import { snapshotFolder, tidyFolder } from "./folder.ts";
import { gitState } from "./git.ts";
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
import { renderPreservation, renderSnapshot, type SnapshotContent } from "./render.ts";
import { localStamp, snapshotName } from "./stamps.ts";
import { CONTEXT_LIMIT } from "./start.ts";
import { saveWords } from "./words.ts";
import { workingState } from "./workingState.ts";

export interface SnapshotSettings {
  readonly hours: number;
  /** How many of the last messages are kept word for word. */
  readonly messages: number;
  readonly reference: Page | "off";
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
}

export interface SavedSnapshot {
  readonly file: string;
  readonly name: string;
  readonly at: number;
  readonly handles: readonly string[];
  readonly reference: PageOutcome | "off";
  /** For the log and for whoever saves by hand. */
  readonly lines: readonly string[];
  /** For the compaction's prompt. */
  readonly preservation: string;
}

/** A name that is free; two snapshots of one second are told apart by the next second. */
function freeName(folder: string, now: number): string {
  for (let at = now; ; at += SECOND) {
    const name = snapshotName(at);
    if (!existsSync(path.join(folder, name))) return name;
  }
}

function refer(options: SaveOptions, name: string): PageOutcome | "off" {
  const { project, now, settings } = options;
  const { reference: page, hours, language } = settings;
  const outcome = page === "off" ? page : addReference(project, page, { name, at: now, hours, language });
  // One block ever, also after the setting was changed.
  for (const other of pages) if (other !== page) removeReference(project, other);
  return outcome;
}

function linesOf(file: string, { now, settings }: SaveOptions, outcome: PageOutcome | "off"): string[] {
  const words = saveWords[settings.language];
  const page = settings.reference;
  const said =
    outcome === "off"
      ? words.savedWithoutReference
      : "refused" in outcome
        ? words.refused(page, pageProblems[outcome.refused])
        : words.saved(page);
  return [`SNAPSHOT_FILE=${file}`, `SNAPSHOT_TIMESTAMP=${localStamp(now)}`, said];
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

async function contentOf(options: SaveOptions): Promise<SnapshotContent> {
  const { project, session, now, history, settings, vault, readers, redact } = options;
  const safe = await withoutSecrets(history);
  const [git, method] = await Promise.all([
    gitState(project),
    readProjectState(readers, { project, invocations: invocationsOf(safe) }),
  ]);
  const leaving = history.slice(options.windowStart);
  const origin = { session, level: "compact", note: "the conversation before a compaction" };
  const handles = leaving.length === 0 ? [] : [vault.put(wholeText(leaving), origin).handle];
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
  const content = await contentOf(options);
  const folder = snapshotFolder(project);
  // Before there is anything to see.
  excludeSnapshots(project, settings.reference === "CLAUDE.local.md" ? ["CLAUDE.local.md"] : []);
  const name = freeName(folder, now);
  const file = path.join(folder, name);
  writeFileAtomic(file, renderSnapshot(content));
  const reference = refer(options, name);
  addToJournal(options.journal, { at: now, file, handles: content.handles, occasion: options.occasion });
  return {
    file,
    name,
    at: now,
    handles: content.handles,
    reference,
    lines: linesOf(file, options, reference),
    preservation: renderPreservation(content, file, CONTEXT_LIMIT),
  };
}
