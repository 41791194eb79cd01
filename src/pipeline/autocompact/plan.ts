// Level 5, autocompact: earlier messages become a summary made of the originals, never of a summary.
import {
  attachmentsFor,
  boundaryMessage,
  checkQuality,
  continuationText,
  type Gap,
  howToGoOn,
  ON_DEMAND_BETA,
  preservedSegment,
  shownText,
} from "../../compact/index.ts";
import { defined, sumOf } from "../../lib/index.ts";
import { blocksOf, type History, isThinking, type Message, stoppingPoint } from "../../messages/index.ts";
import { estimateText } from "../../tokens/index.ts";
import type { PlanContext, PlannedEdit, Removed } from "../planContext.ts";
import type { CompactionOrder, RefusedWords, SummaryWords, WordsCandidate, WordsFrom } from "./candidates.ts";
import { endsOpen, originalsBefore, originalsIn, type WindowCut } from "./cut.ts";

/** Tokens of the words around a summary, at their longest. */
const FRAME_TOKENS = 240;
/**
 * At most this share of what is left beside the kept messages goes to attachments. Under
 * `thrifty` they show the code around the latest edits, which the next edits have to match; the summary, which holds the
 * conversation, keeps the larger part.
 */
const attachmentShare = { seed: 0.5, thrifty: 0.4 } as const;

/**
 * Under `seed` the budgets of the attachments alone bound them, as long as they leave this much to a summary and the
 * request does not fill the room again at once.
 */
const LEAST_SUMMARY = 4_000;
const MOST_FILLED = 0.8;

const seedOpening = "Below is a summary of the session so far:\n\n";

export interface PlannedCompaction {
  readonly from: WordsFrom;
  readonly edits: readonly PlannedEdit[];
  /** What the words lacked and a patch adds. */
  readonly patched: readonly Gap[];
  /** Messages that stay word for word. */
  readonly kept: number;
}

/** The edits that carry a candidate out, or why its words cannot be used. Works in one pass and without a model. */
export function planCompaction(
  context: PlanContext,
  view: History,
  order: CompactionOrder,
  candidate: WordsCandidate,
): PlannedCompaction | RefusedWords {
  const { from, cut, limit } = candidate;
  const refuse = (why: string): RefusedWords => ({ from, why });
  const obstacle = obstacleTo(context, view, candidate);
  if (obstacle !== undefined) return refuse(obstacle);
  // First, because the attachments read the whole conversation: it is read from where this ends.
  context.reading.readAll(candidate.covered, context.history);
  const pinned = cut.first === 0 ? pinnedWithPairs(view.slice(0, cut.start), context.pinned) : [];
  const keep = new Set(pinned);
  const stays = view.filter(({ id }, at) => at < cut.first || at >= cut.start || keep.has(id));
  const kept = sumOf(stays, context.weigh);
  const share = (limit - kept) * attachmentShare[context.settings.policy];
  const attached = attachmentsIn(context, view, order, stays, share);
  const taken = tokensOfMessages(attached, context);
  // What `seed` attaches beyond the share may fill the room up to the threshold, but takes nothing from the summary.
  const left = taken <= share ? limit - taken : Math.min(limit - share, order.room - taken);
  const room = Math.floor(left - kept - FRAME_TOKENS);
  if (room < FRAME_TOKENS) return refuse("the messages that stay leave no room for a summary");
  const shown = shownText([...stays.map(({ message }) => message), ...attached]);
  const words = candidate.words(room, shown);
  const tokens = estimateText(words.text, context.model.tokenizer);
  if (tokens > room) return refuse(`its words take ${tokens} tokens, and ${room} are left`);
  const passed = passedGate(context, stays, words.text, from, room - tokens);
  if (typeof passed === "string") return refuse(passed);
  const leaving = view.slice(cut.first, cut.start).filter(({ id }) => !keep.has(id));
  const parts = {
    ...placed(candidate, words, passed.text, attached, { context, order, stays }),
    keep: pinned,
    cut,
  };
  const before = sumOf(leaving, context.weigh);
  const after = tokensOfMessages([...parts.front, ...parts.attached], context);
  if (before - after <= order.leastFreed) return refuse("a compaction would free too little");
  const planned: PlannedEdit = {
    level: "autocompact",
    why: order.why,
    edit: editOf(context, view, candidate, parts),
    removed: [
      ...words.referred.map(({ content, handle }) => ({ content, handle })),
      ...exactly(context, leaving),
      ...(dropsThinking(context, candidate) ? thinkingOf(stays) : []),
    ],
    tokens: { before, after },
  };
  return {
    from,
    edits: [...betaFor(candidate), planned],
    patched: passed.patched,
    kept: stays.length,
  };
}

function obstacleTo(context: PlanContext, view: History, { cut, block }: WordsCandidate) {
  if (cut.start <= cut.first) return "there is nothing to take out";
  const bound = context.legality.dropAllThinking;
  if (bound && cut.first > 0 && thinkingOf(view.slice(cut.start)).length > 0)
    return "the thinking behind the chosen part is bound to it";
  // Where nothing may stand between the block and what is kept, or behind it, its words cannot be completed.
  if (block && (endsOpen(view) || view.slice(0, cut.start).some(({ id }) => context.pinned.has(id))))
    return "something is pinned, or a call is open";
  return undefined;
}

/** The patched words, or why they are refused. The summary made from the messages is the last resort and always passes. */
function passedGate(
  { history, model }: PlanContext,
  kept: History,
  summary: string,
  from: WordsFrom,
  left: number,
) {
  const quality = checkQuality({
    history,
    kept,
    summary,
    family: model.tokenizer,
    patchTokens: Math.max(0, left),
  });
  if (quality.ok || from === "messages") return { text: quality.summary, patched: quality.patched };
  const missing = quality.reasons.map(({ kind, text }) => `${kind} "${text.slice(0, 60)}"`);
  return `it does not tell what comes next: ${missing.join(", ")}`;
}

function attachmentsIn(
  context: PlanContext,
  view: History,
  { room, material: { surroundings = {} } }: CompactionOrder,
  kept: History,
  share: number,
): readonly Message[] {
  if (endsOpen(view)) return [];
  const { history, model, settings, weigh } = context;
  const made = (total?: number) =>
    attachmentsFor({ history, kept, family: model.tokenizer, ...defined({ total }), ...surroundings }).map(
      ({ message }) => message,
    );
  if (settings.policy === "seed") {
    const all = made();
    const after = sumOf(kept, weigh) + tokensOfMessages(all, context) + LEAST_SUMMARY;
    if (after <= room * MOST_FILLED) return all;
  }
  return made(Math.floor(Math.max(0, Math.min(settings.autocompact.attachments, share))));
}

interface IncomingMessages {
  readonly front: readonly Message[];
  readonly attached: readonly Message[];
}

interface PlacementContext {
  readonly context: PlanContext;
  readonly order: CompactionOrder;
  readonly stays: History;
}

/** The messages that come in: boundary and summary in front, attachments behind what is kept. */
function placed(
  { from, block, cut }: WordsCandidate,
  words: SummaryWords,
  text: string,
  attached: readonly Message[],
  { context, order, stays }: PlacementContext,
): IncomingMessages {
  const handle = words.referred[0]?.handle;
  const source = `Everything before this is kept word for word: recall ${handle}, whole, by lines, or by a pattern.`;
  if (block) {
    // The signed block has to stand alone in front: what it lacks is added behind the kept messages.
    const patch = text.startsWith(words.text) ? text.slice(words.text.length).trim() : text;
    const beside: Message = { role: "user", content: [source, patch].filter(Boolean).join("\n\n") };
    return { front: [{ role: "assistant", content: [block] }], attached: [beside, ...attached] };
  }
  const stopped = {
    point: stoppingPoint(context.history),
    ...defined({ proactive: order.material.proactive }),
  };
  const continued: Message = {
    role: "user",
    content: continuationText({
      summary: text,
      keepsRecent: cut.first === 0 && stays.length > 0,
      // The summary made without a model says so itself.
      ...defined({ source: from === "messages" ? undefined : source }),
      ...stopped,
    }),
  };
  if (context.settings.policy !== "seed" || cut.first > 0) return { front: [continued], attached };
  const summary: Message =
    from === "model"
      ? continued
      : { role: "user", content: `${seedOpening}${text}\n\n${howToGoOn(stopped)}` };
  return { front: [boundaryMessage(), summary], attached };
}

interface EditParts extends IncomingMessages {
  readonly keep: readonly string[];
  readonly cut: WindowCut;
}

function editOf(
  context: PlanContext,
  view: History,
  candidate: WordsCandidate,
  { front, attached, keep, cut }: EditParts,
): PlannedEdit["edit"] {
  const through = view[cut.start - 1]?.id ?? "";
  const words = candidate.from;
  if (cut.first > 0) {
    const first = view[cut.first]?.id ?? "";
    return { kind: "replace-span", first, last: through, messages: [...front, ...attached], words };
  }
  const boundary = preservedSegment(context.history, originalsBefore(context, view, cut.start));
  return {
    kind: "replace-prefix",
    through,
    messages: front,
    keep,
    attachments: attached,
    dropThinking: dropsThinking(context, candidate),
    ...defined({ boundary }),
    words,
  };
}

/** Thinking is bound to what the summary replaces, unless the API itself signed the replacement. */
function dropsThinking({ legality }: PlanContext, { block, cut }: WordsCandidate) {
  return legality.dropAllThinking && block === undefined && cut.first === 0;
}

/** First, so that a write that is torn never leaves a block without the header it needs. */
function betaFor({ block }: WordsCandidate): readonly PlannedEdit[] {
  if (!block) return [];
  const edit = { kind: "directive", params: {}, betas: [ON_DEMAND_BETA] } as const;
  return [{ level: "autocompact", why: "the window begins with the API's own block", edit, removed: [] }];
}

function tokensOfMessages(messages: readonly Message[], { weigh }: PlanContext) {
  return sumOf(messages, (message) => weigh({ id: "", message }));
}

/** The originals of what leaves with this edit, byte for byte. */
function exactly(context: PlanContext, leaving: History): Removed[] {
  const originals = originalsIn(context, leaving);
  if (originals.length === 0) return [];
  const content = context.reading.exact.contentOf(originals);
  return [{ content, handle: content.handle }];
}

function thinkingOf(items: History): Removed[] {
  const carried = items.flatMap(({ id, message }) => {
    const blocks = message.role === "assistant" ? blocksOf(message).filter(isThinking) : [];
    return blocks.length === 0 ? [] : [{ item: id, blocks }];
  });
  return carried.length === 0 ? [] : [{ content: JSON.stringify(carried), json: true }];
}

/** Pinned items, and what they cannot stand without. */
function pinnedWithPairs(items: History, pinned: ReadonlySet<string>) {
  if (pinned.size === 0) return [];
  const callsOf = ({ message }: History[number]) =>
    blocksOf(message).flatMap(({ type, id, tool_use_id }) => {
      if (type === "tool_use") return [String(id)];
      return type === "tool_result" ? [String(tool_use_id)] : [];
    });
  const calls = new Set(items.filter(({ id }) => pinned.has(id)).flatMap(callsOf));
  return items
    .filter((item) => pinned.has(item.id) || callsOf(item).some((call) => calls.has(call)))
    .map(({ id }) => id);
}
