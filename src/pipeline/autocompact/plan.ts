// Level 5, autocompact: everything but the newest messages becomes a summary made of the originals, never of a summary.
import { continuationText, summariseDeterministically, tailStart } from "../../compact/index.ts";
import { blocksOf, type History, type Message } from "../../messages/index.ts";
import type { PlanContext, PlannedEdit, Removed } from "../plan.ts";

/** The summary's estimate is one. */
const MARGIN = 0.95;
/** Tokens of the words around a summary. */
const FRAME = 150;
/** At most this share of what is allowed is kept word for word. */
const TAIL_SHARE = 0.6;

const boundaryMark = "<compact boundary>";
const seedOpening = "Below is a summary of the session so far:\n\n";

/**
 * The edit that brings the conversation down to `allowed` tokens, or undefined when there is nothing to take out. Works
 * in one pass and without a model.
 */
export function planCompaction(
  context: PlanContext,
  view: History,
  allowed: number,
): PlannedEdit | undefined {
  const { settings, weigh, model } = context;
  const { tail, summary } = settings.autocompact;
  const start = tailStart(view, Math.min(tail, allowed * TAIL_SHARE), weigh);
  const through = view[start - 1]?.id;
  if (through === undefined) return undefined;
  const sumOf = (items: History): number => items.reduce((sum, item) => sum + weigh(item), 0);
  const keep = pinnedWithPairs(view.slice(0, start), context.pinned);
  const kept = sumOf(view.slice(start)) + sumOf(view.filter(({ id }) => keep.includes(id)));
  const budget = Math.floor((Math.min(summary, allowed - kept) - FRAME) * MARGIN);
  const covered = coveredBy(context.history, view, start);
  const made = summariseDeterministically({ history: covered, budget, family: model.tokenizer });
  const keepsRecent = start < view.length;
  const messages: Message[] =
    settings.policy === "seed"
      ? [
          { role: "user", content: boundaryMark },
          { role: "user", content: seedOpening + made.text },
        ]
      : [{ role: "user", content: continuationText({ summary: made.text, keepsRecent }) }];
  const before = sumOf(view.slice(0, start));
  return {
    level: "autocompact",
    why: `the request would pass ${allowed} tokens of conversation`,
    edit: {
      kind: "replace-prefix",
      through,
      messages,
      keep,
      dropThinking: context.legality.dropAllThinking,
      boundary: {
        headUuid: context.history[0]?.id ?? "",
        anchorUuid: through,
        tailUuid: context.history.at(-1)?.id ?? "",
      },
    },
    removed: [
      ...made.referred.map(({ content }) => ({ content })),
      ...exactly(context.history, view.slice(0, start)),
    ],
    tokens: { before, after: Math.min(before, budget) },
  };
}

/** Every original message before the first one that stays. */
function coveredBy(history: History, view: History, start: number): History {
  const staying = new Set(view.slice(start).map(({ id }) => id));
  const first = history.findIndex(({ id }) => staying.has(id));
  return first < 0 ? history : history.slice(0, first);
}

/** The originals of what leaves with this edit, byte for byte. */
function exactly(history: History, leaving: History): Removed[] {
  const ids = new Set(leaving.map(({ id }) => id));
  const originals = history.filter(({ id }) => ids.has(id)).map(({ message }) => message);
  return originals.length === 0 ? [] : [{ content: JSON.stringify(originals) }];
}

/** Pinned items, and what they cannot stand without. */
function pinnedWithPairs(items: History, pinned: ReadonlySet<string>): string[] {
  if (pinned.size === 0) return [];
  const callsOf = (item: History[number]): string[] =>
    blocksOf(item.message).flatMap((block) =>
      block.type === "tool_use"
        ? [String(block.id)]
        : block.type === "tool_result"
          ? [String(block.tool_use_id)]
          : [],
    );
  const calls = new Set(items.filter(({ id }) => pinned.has(id)).flatMap(callsOf));
  return items
    .filter((item) => pinned.has(item.id) || callsOf(item).some((call) => calls.has(call)))
    .map(({ id }) => id);
}
