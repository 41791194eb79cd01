// A recorded session as it was at one of its rows, and what the product would show of it there.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { memorySession, prepare } from "../src/pipeline/index.ts";
import { readableText } from "../src/replay/index.ts";
import { projectStateReaders, saveSnapshot, startSession } from "../src/snapshot/index.ts";
import { readConversation, type TranscriptItem } from "../src/transcript/index.ts";
import { openVault } from "../src/vault/index.ts";
import { onlyCompaction } from "./onlyCompaction.ts";

const MODEL = "claude-opus-4-6";
const models = { [MODEL]: { window: 10_000_000 } };
const TARGET = 20_000;

/**
 * The session as it was when the row `cut` (its id, or its number in the file) was its last: cut in the file, so that
 * nothing later can be known. With `summary` the first summary behind it is known too.
 */
export async function sessionUpTo(
  { file, cut, summary }: { readonly file: string; readonly cut: string | number; readonly summary: boolean },
  folder: string,
): Promise<readonly TranscriptItem[]> {
  const whole = readFileSync(file, "utf8");
  const { cwd } = await readConversation(file);
  // As if it had run here: the paths of its project are those of a folder that exists.
  const lines = (cwd ? whole.replaceAll(cwd, path.join(folder, "project")) : whole).split("\n");
  const last =
    typeof cut === "number"
      ? cut
      : lines.findIndex((line) => line.includes(cut) && JSON.parse(line).uuid === cut);
  if (last < 0) throw new Error(`${file} has no row ${cut}`);
  const part = path.join(folder, "cut.jsonl");
  const behind = summary ? lines.slice(last + 1) : [];
  const summed = behind.findIndex((line) => line.includes('"isCompactSummary":true'));
  const boundary = behind.slice(0, summed).filter((line) => line.includes('"compact_boundary"'));
  const known = [
    ...lines.slice(0, last + 1),
    ...boundary,
    ...behind.slice(Math.max(0, summed)).slice(0, summed < 0 ? 0 : 1),
  ];
  writeFileSync(part, `${known.join("\n")}\n`);
  const { items } = await readConversation(part);
  return items.filter(({ isApiError, isCopy }) => !isApiError && !isCopy);
}

export function windowOf(items: readonly TranscriptItem[]): string {
  const known = items.filter(({ compactSummary }) => !compactSummary);
  if (known.length === 0) return "";
  const { messages } = prepare({
    session: memorySession("bench", { settings: onlyCompaction, models }),
    messages: known.map(({ message }) => message),
    ids: known.map(({ id }) => id),
    provenance: known,
    model: MODEL,
    compact: { to: TARGET },
    now: 0,
  });
  return messages.map(readableText).join("\n");
}

const KEY = new Uint8Array(32);

/** What the model is told by a snapshot, saved and loaded in a folder of its own. */
interface SnapshotTexts {
  /** The text that the next start of the session brings. */
  readonly digest: string;
  /** The file. */
  readonly file: string;
}

export async function snapshotOf(items: readonly TranscriptItem[], folder: string): Promise<SnapshotTexts> {
  const project = path.join(folder, "project");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(path.join(project, ".claude"), { recursive: true });
  const now = Date.now();
  const saved = await saveSnapshot({
    project,
    session: "bench",
    now,
    history: items,
    windowStart: 0,
    settings: { hours: 24, messages: 10, reference: "CLAUDE.md", language: "en" },
    vault: openVault(path.join(folder, "vault")),
    readers: projectStateReaders,
    redact: (text) => text,
    journal: path.join(folder, "journal.jsonl"),
    occasion: "bench",
    key: KEY,
  });
  const file = readFileSync(saved.file, "utf8");
  const { context = "" } = startSession({
    project,
    session: "bench",
    source: "compact",
    now,
    hours: 24,
    language: "en",
    key: KEY,
    tracked: new Set(),
    isFirstSight: () => false,
    keep: () => undefined,
  });
  return { digest: context, file };
}
