// One event of a window as texts before and after it.

import type { LedgerEntry } from "../ledger/index.ts";
import {
  blocksOf,
  type HistoryItem,
  isToolResult,
  isToolUse,
  type Message,
  textOf,
} from "../messages/index.ts";
import type { TranscriptBoundary } from "../transcript/index.ts";
import type { Vault } from "../vault/index.ts";
import { boundaryId } from "./events.ts";
import type { WindowEvent, WindowEventDetail } from "./model.ts";
import { type Recording, windowAt } from "./points.ts";

interface DetailSources {
  readonly recording: Recording | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly vault: Pick<Vault, "read">;
  /** The page shows no text that must not be stored. */
  readonly redact: (text: string) => string;
}

const MOST_SHOWN_CHARACTERS = 2_000;
const MOST_TEXTS = 40;
/** Of more texts the first eight and the last ones are shown. */
const FIRST_TEXTS = 8;

export interface SpokenText {
  readonly speaker: string;
  readonly text: string;
  readonly handle?: string;
}

export function shownTexts(all: readonly SpokenText[], redact: DetailSources["redact"]) {
  const texts = all.filter(({ text }) => text.trim() !== "");
  const kept =
    texts.length <= MOST_TEXTS
      ? texts
      : [...texts.slice(0, FIRST_TEXTS), ...texts.slice(FIRST_TEXTS - MOST_TEXTS)];
  const shown = kept.map((spoken) => {
    const clean = redact(spoken.text);
    const text = clean.slice(0, MOST_SHOWN_CHARACTERS);
    return { ...spoken, text, cut: clean.length - text.length };
  });
  return { texts: shown, leftOut: texts.length - kept.length };
}

export function messageTexts(message: Message, names: ToolNames, isSummary = false) {
  return blocksOf(message).flatMap((block) => {
    if (isToolResult(block))
      return [{ speaker: names.get(block.tool_use_id) ?? "tool", text: textOf(block.content) }];
    if (isToolUse(block)) return [{ speaker: block.name, text: JSON.stringify(block.input, undefined, 1) }];
    const text = textOf([block]);
    return text === "" ? [] : [{ speaker: isSummary ? "summary" : message.role, text }];
  });
}

type ToolNames = ReadonlyMap<string, string>;

export function toolNames(items: readonly HistoryItem[]) {
  const calls = items.flatMap(({ message }) => blocksOf(message).filter(isToolUse));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function textsOfItems(items: readonly HistoryItem[], names: ToolNames) {
  return items.flatMap(({ message, compactSummary }) => messageTexts(message, names, compactSummary));
}

/** What the vault has of an entry, where it is still there. */
function vaulted({ handles = [] }: LedgerEntry, vault: DetailSources["vault"]) {
  return handles.slice(0, MOST_TEXTS).flatMap((handle) => {
    try {
      return [{ speaker: "vault", text: new TextDecoder().decode(vault.read(handle)), handle }];
    } catch {
      return [{ speaker: "vault", text: "no longer kept", handle }];
    }
  });
}

/** The items from `first`, or from the beginning, to `last`. */
function span(items: readonly HistoryItem[], first: string | undefined, last: string) {
  const from = first === undefined ? 0 : items.findIndex(({ id }) => id === first);
  const to = items.findIndex(({ id }) => id === last);
  return from < 0 || to < 0 ? [] : items.slice(from, to + 1);
}

function removedItems({ edit }: LedgerEntry, items: readonly HistoryItem[]) {
  switch (edit.kind) {
    case "remove-turn":
      return items.filter(({ id }) => edit.items.includes(id));
    case "replace-span":
      return span(items, edit.first, edit.last);
    case "collapse-commit":
      return span(items, edit.firstArchivedUuid, edit.lastArchivedUuid);
    case "replace-prefix":
      return span(items, undefined, edit.through).filter(({ id }) => !edit.keep?.includes(id));
    default:
      return [];
  }
}

function broughtIn({ edit }: LedgerEntry, names: ToolNames) {
  switch (edit.kind) {
    case "replace-result":
      return [{ speaker: names.get(edit.toolUseId) ?? "tool", text: textOf(edit.content) }];
    case "collapse-commit":
      return [{ speaker: "summary", text: edit.summaryContent }];
    case "replace-prefix":
    case "replace-span":
      return edit.messages.flatMap((message) => messageTexts(message, names, true));
    case "insert":
      return edit.messages.flatMap((message) => messageTexts(message, names));
    default:
      return [];
  }
}

function originalResults(ids: readonly string[], items: readonly HistoryItem[], names: ToolNames) {
  return items
    .flatMap(({ message }) => blocksOf(message).filter(isToolResult))
    .filter(({ tool_use_id }) => ids.includes(tool_use_id))
    .map(({ tool_use_id, content }) => ({
      speaker: names.get(tool_use_id) ?? "tool",
      text: textOf(content),
    }));
}

function entryChange(entry: LedgerEntry, { recording, vault }: DetailSources) {
  const items = recording?.conversation.items ?? [];
  const names = toolNames(items);
  const removed = textsOfItems(removedItems(entry, items), names);
  // Of whole messages the transcript knows more than the vault; of a result the vault has the exact text.
  const kept = removed.length > 0 ? removed : vaulted(entry, vault);
  const { edit } = entry;
  const results = edit.kind === "replace-result" ? originalResults([edit.toolUseId], items, names) : [];
  return { before: kept.length > 0 ? kept : results, after: broughtIn(entry, names) };
}

function boundaryChange(boundary: TranscriptBoundary, recording: Recording) {
  const { conversation } = recording;
  const names = toolNames(conversation.items);
  const at = boundary.at ?? Number.POSITIVE_INFINITY;
  if (boundary.kind === "microcompact")
    return { before: originalResults(boundary.compactedToolIds, conversation.items, names), after: [] };
  const boundaries = conversation.boundaries.filter((one) => one !== boundary);
  const uncompacted = { ...recording, conversation: { ...conversation, boundaries } };
  const before = windowAt(uncompacted, boundary.index, at);
  const summary = conversation.items.slice(boundary.index).find(({ compactSummary }) => compactSummary);
  return { before: textsOfItems(before, names), after: summary ? textsOfItems([summary], names) : [] };
}

/** Undefined when there is no such event any more. */
export function eventDetail(event: WindowEvent, sources: DetailSources): WindowEventDetail | undefined {
  const { recording, entries, redact } = sources;
  const entry = entries.find(({ id }) => id === event.id);
  const boundary = recording?.conversation.boundaries.find((one) => boundaryId(one) === event.id);
  const change = entry
    ? entryChange(entry, sources)
    : boundary && recording
      ? boundaryChange(boundary, recording)
      : undefined;
  if (!change) return undefined;
  const before = shownTexts(change.before, redact);
  const after = shownTexts(change.after, redact);
  return {
    event,
    before: before.texts,
    after: after.texts,
    leftOut: { before: before.leftOut, after: after.leftOut },
  };
}
