// One event of a window as texts before and after it.

import type { LedgerEntry } from "../ledger/index.ts";
import { defined } from "../lib/index.ts";
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
import type { WindowEvent, WindowEventDetail, WindowText } from "./model.ts";
import { type Recording, windowAt } from "./points.ts";

interface DetailSources {
  readonly recording: Recording | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly vault: Pick<Vault, "read">;
  /** The page shows no text that must not be stored. */
  readonly redact: (text: string) => string;
}

const LONGEST = 2_000;
const MOST = 40;
/** Of many texts the first and the last are shown. */
const FIRST = 8;

interface SpokenText {
  readonly speaker: string;
  readonly text: string;
  readonly handle?: string;
}

interface Texts {
  readonly texts: readonly WindowText[];
  readonly leftOut: number;
}

function shorten({ speaker, text, handle }: SpokenText, redact: DetailSources["redact"]): WindowText {
  const clean = redact(text);
  const kept = clean.slice(0, LONGEST);
  return {
    speaker,
    text: kept,
    cut: clean.length - kept.length,
    ...defined({ handle }),
  };
}

function shown(all: readonly SpokenText[], redact: DetailSources["redact"]): Texts {
  const texts = all.filter(({ text }) => text.trim() !== "");
  const kept = texts.length <= MOST ? texts : [...texts.slice(0, FIRST), ...texts.slice(FIRST - MOST)];
  return { texts: kept.map((text) => shorten(text, redact)), leftOut: texts.length - kept.length };
}

function textsOf(message: Message, names: ReadonlyMap<string, string>, isSummary = false): SpokenText[] {
  return blocksOf(message).flatMap((block): SpokenText[] => {
    if (isToolResult(block))
      return [{ speaker: names.get(block.tool_use_id) ?? "tool", text: textOf(block.content) }];
    if (isToolUse(block)) return [{ speaker: block.name, text: JSON.stringify(block.input, undefined, 1) }];
    const text = textOf([block]);
    return text === "" ? [] : [{ speaker: isSummary ? "summary" : message.role, text }];
  });
}

function toolNames(items: readonly HistoryItem[]): ReadonlyMap<string, string> {
  const calls = items.flatMap(({ message }) => blocksOf(message).filter(isToolUse));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function textsOfItems(items: readonly HistoryItem[], names: ReadonlyMap<string, string>): SpokenText[] {
  return items.flatMap(({ message, compactSummary }) => textsOf(message, names, compactSummary));
}

/** What the vault has of an entry, where it is still there. */
function vaulted({ handles = [] }: LedgerEntry, vault: DetailSources["vault"]): SpokenText[] {
  return handles.slice(0, MOST).flatMap((handle): SpokenText[] => {
    try {
      return [{ speaker: "vault", text: new TextDecoder().decode(vault.read(handle)), handle }];
    } catch {
      return [{ speaker: "vault", text: "no longer kept", handle }];
    }
  });
}

interface TextChange {
  readonly before: readonly SpokenText[];
  readonly after: readonly SpokenText[];
}

/** The items of a span, or up to one, as the conversation has them. */
function span(
  items: readonly HistoryItem[],
  first: string | undefined,
  last: string,
): readonly HistoryItem[] {
  const from = first === undefined ? 0 : items.findIndex(({ id }) => id === first);
  const to = items.findIndex(({ id }) => id === last);
  return from < 0 || to < 0 ? [] : items.slice(from, to + 1);
}

function removedItems({ edit }: LedgerEntry, items: readonly HistoryItem[]): readonly HistoryItem[] {
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

function broughtIn({ edit }: LedgerEntry, names: ReadonlyMap<string, string>): SpokenText[] {
  switch (edit.kind) {
    case "replace-result":
      return [{ speaker: names.get(edit.toolUseId) ?? "tool", text: textOf(edit.content) }];
    case "collapse-commit":
      return [{ speaker: "summary", text: edit.summaryContent }];
    case "replace-prefix":
    case "replace-span":
      return edit.messages.flatMap((message) => textsOf(message, names, true));
    case "insert":
      return edit.messages.flatMap((message) => textsOf(message, names));
    default:
      return [];
  }
}

function originalResult({ edit }: LedgerEntry, items: readonly HistoryItem[]): SpokenText[] {
  if (edit.kind !== "replace-result") return [];
  const names = toolNames(items);
  return items
    .flatMap(({ message }) => blocksOf(message).filter(isToolResult))
    .filter(({ tool_use_id }) => tool_use_id === edit.toolUseId)
    .map(({ content }) => ({ speaker: names.get(edit.toolUseId) ?? "tool", text: textOf(content) }));
}

function entryChange(entry: LedgerEntry, { recording, vault }: DetailSources): TextChange {
  const items = recording?.conversation.items ?? [];
  const names = toolNames(items);
  const removed = textsOfItems(removedItems(entry, items), names);
  // Of whole messages the transcript knows more than the vault; of a result the vault has the exact text.
  const kept = removed.length > 0 ? removed : vaulted(entry, vault);
  return { before: kept.length > 0 ? kept : originalResult(entry, items), after: broughtIn(entry, names) };
}

function boundaryChange(boundary: TranscriptBoundary, recording: Recording): TextChange {
  const { conversation } = recording;
  const names = toolNames(conversation.items);
  const at = boundary.at ?? Number.POSITIVE_INFINITY;
  if (boundary.kind === "microcompact") {
    const ids = boundary.compactedToolIds;
    const results = conversation.items
      .flatMap(({ message }) => blocksOf(message).filter(isToolResult))
      .filter(({ tool_use_id }) => ids.includes(tool_use_id));
    const before = results.map(({ tool_use_id, content }) => ({
      speaker: names.get(tool_use_id) ?? "tool",
      text: textOf(content),
    }));
    return { before, after: [] };
  }
  const before = windowAt(
    {
      ...recording,
      conversation: {
        ...conversation,
        boundaries: conversation.boundaries.filter((one) => one !== boundary),
      },
    },
    boundary.index,
    at,
  );
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
  if (change === undefined) return undefined;
  const before = shown(change.before, redact);
  const after = shown(change.after, redact);
  return {
    event,
    before: before.texts,
    after: after.texts,
    leftOut: { before: before.leftOut, after: after.leftOut },
  };
}
