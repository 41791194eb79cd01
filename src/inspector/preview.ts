// What a compaction of a session would leave if it were made now, without a model: sizes, what stays, and the summary.
import { systemClock, ThroughlineError } from "../lib/index.ts";
import { type HistoryItem, textOf } from "../messages/index.ts";
import {
  type CompactNow,
  memorySession,
  type PipelineSettings,
  type PrepareInput,
  prepare,
  readNotes,
} from "../pipeline/index.ts";
import { findModel, type ModelOverrides } from "../tokens/index.ts";
import { type Conversation, readConversation, sendableItems, windowItems } from "../transcript/index.ts";
import type { CompactionPreview } from "./model.ts";

/** What decides a compaction beside its session. Plain values: they cross into another thread. */
export interface CompactionRules {
  readonly settings: PipelineSettings;
  /** Assumed where the transcript names no model of the table. */
  readonly model: string;
  /** The folder of the session's notes, where it has one. */
  readonly notes?: string;
}

/**
 * The whole conversation, so that a summary is made of the original messages and not of the agent's own summary. With
 * `partial`, where earlier messages stay, the window as the agent has it.
 */
function itemsToCompact(
  conversation: Conversation,
  { mode }: Pick<CompactNow, "mode">,
): { readonly items: readonly HistoryItem[]; readonly lostBeginning: boolean } {
  const all =
    mode === "partial"
      ? windowItems(conversation)
      : conversation.items.filter((item) => !item.compactSummary && !item.isApiError && !item.isCopy);
  const items = sendableItems(all);
  if (items.length > 0) return { items, lostBeginning: items !== all };
  throw new ThroughlineError(
    "invalid-history",
    "the transcript contains no message",
    "give a transcript with at least one prompt",
  );
}

/** The model that answered last, or else the one of the settings. */
export const modelOf = ({ models }: Conversation, overrides: ModelOverrides, otherwise: string) =>
  models.findLast((name) => findModel(name, overrides)) ?? otherwise;

/** The request in which a conversation is compacted, whatever its size. */
export function compactionInput(
  conversation: Conversation,
  compact: CompactNow,
  rest: Pick<PrepareInput, "session" | "model" | "notes">,
) {
  const { items, lostBeginning } = itemsToCompact(conversation, compact);
  const input: PrepareInput = {
    ...rest,
    now: items.at(-1)?.at ?? systemClock.now(),
    messages: items.map(({ message }) => message),
    ids: items.map(({ id }) => id),
    provenance: items,
    compact,
  };
  return { input, lostBeginning };
}

/** Writes nothing: what leaves the window is put into a vault in memory. */
export async function previewCompaction(
  transcript: string,
  { settings, model, notes: folder }: CompactionRules,
  models: ModelOverrides,
  redact: (text: string) => string,
): Promise<CompactionPreview> {
  const conversation = await readConversation(transcript);
  const notes = folder === undefined ? undefined : readNotes(folder);
  const { input } = compactionInput(
    conversation,
    {},
    {
      session: memorySession(conversation.sessionId ?? "preview", { settings, models }),
      model: modelOf(conversation, models, model),
      ...(notes && { notes }),
    },
  );
  const { messages, receipt } = prepare(input);
  const { tokens, compaction } = receipt;
  const made = receipt.edits.findLast(({ level }) => level === "autocompact");
  const summary = made && "messages" in made.edit ? made.edit.messages : [];
  return {
    before: tokens.before,
    after: tokens.after,
    kept: compaction?.kept ?? messages.length,
    messages: messages.length,
    from: compaction?.from ?? "messages",
    summary: summary.map(({ content }) => redact(textOf(content))),
  };
}
