// The sources of words in the order in which they are tried, each with where it cuts and what it says.
import {
  type AttachmentInput,
  defaultNotesBudget,
  notesForWindow,
  type Referred,
  referenceTo,
  type SessionNotes,
  summariseDeterministically,
  transcriptContent,
  verbatimAddition,
} from "../../compact/index.ts";
import type { Block, History } from "../../messages/index.ts";
import { estimateText } from "../../tokens/index.ts";
import type { PlanContext } from "../planContext.ts";
import { type ChosenPart, notesCut, originalsBefore, type WindowCut } from "./cut.ts";

/** What is known of the session beside its messages, for the attachments of a compacted window. */
export type SessionExtras = Pick<
  AttachmentInput,
  | "readFile"
  | "plan"
  | "planMode"
  | "skills"
  | "tasks"
  | "offersBefore"
  | "offersNow"
  | "sessionStart"
  | "limits"
>;

/** What there is to make a compaction of, beside the messages. */
export interface CompactionMaterial {
  readonly notes?: SessionNotes;
  readonly summary?: ReadySummary;
  readonly surroundings?: SessionExtras;
  /** The agent was working on its own, without a user's turn to answer. */
  readonly proactive?: boolean;
}

/** What a compaction is to achieve, and what there is to make it of. */
export interface CompactionOrder {
  readonly why: string;
  /** Tokens that the conversation may take afterwards. */
  readonly allowed: number;
  /** Tokens up to the threshold: under `seed` notes and a model's summary may fill them. */
  readonly room: number;
  /** Tokens that have to be won. */
  readonly leastFreed: number;
  readonly part?: ChosenPart;
  /** Made because it is cheap: a model that writes the words would cost what it saves. */
  readonly byPrice?: true;
  readonly material: CompactionMaterial;
}

export interface SummaryWords {
  readonly text: string;
  readonly referred: readonly Referred[];
}

export interface WordsCandidate {
  readonly from: WordsFrom;
  readonly cut: WindowCut;
  /** Every original message that the words stand for. */
  readonly covered: History;
  /** Tokens that the conversation may take with these words. */
  readonly limit: number;
  readonly block?: Block;
  /** The words, in at most `room` tokens where they can be made to fit, beside what is `shown` in the window already. */
  words(room: number, shown: string): SummaryWords;
}

/** The summary's estimate is one. */
const ESTIMATE_MARGIN = 0.97;
/** A summary is at most this share of what it stands for. */
const MOST_OF_COVERED = 0.5;
/** Share of the room for what a summariser did not get to see. */
const UNSEEN_SHARE = 0.25;

export function candidatesFor(
  context: PlanContext,
  view: History,
  order: CompactionOrder,
  usual: WindowCut,
): readonly (WordsCandidate | RefusedWords)[] {
  return [
    ...fromSummary(context, view, order, usual),
    ...fromNotes(context, view, order),
    fromMessages(context, view, order, usual),
  ];
}

/** SummaryWords that were written elsewhere may fill what the seed lets them fill; `thrifty` holds all to one size. */
function limitOf({ settings }: PlanContext, { allowed, room }: CompactionOrder) {
  return settings.policy === "seed" ? room : allowed;
}

function fromSummary(
  context: PlanContext,
  view: History,
  order: CompactionOrder,
  { first }: WindowCut,
): readonly (WordsCandidate | RefusedWords)[] {
  const { summary } = order.material;
  if (!summary) return [];
  const { from } = summary;
  const start = view.findIndex(({ id }) => id === summary.through) + 1;
  if (start === 0) return [{ from, why: "the messages it stands for are not in the window" }];
  const cut = { first, start };
  const limit = limitOf(context, order);
  const covered = originalsOf(context, view, cut);
  const referred = [wholeTranscript(covered)];
  if (summary.from === "on-demand") {
    const { block } = summary;
    const text = typeof block.content === "string" ? block.content : "";
    return [{ from, cut, covered, limit, block, words: () => ({ text, referred }) }];
  }
  const hidden = new Set(summary.unseen ?? []);
  const unseen = covered.filter(({ id }) => hidden.has(id));
  const words = (room: number): SummaryWords => {
    if (summary.addsVerbatim) return withVerbatim(context, covered, summary.text, { room, referred });
    if (unseen.length === 0) return { text: summary.text, referred };
    const budget = Math.floor(room * UNSEEN_SHARE);
    const made = summariseDeterministically({
      history: unseen,
      whole: context.history,
      budget,
      family: context.model.tokenizer,
    });
    const text = `${summary.text}\n\nWhat came before all of the above:\n\n${made.text}`;
    return { text, referred: [...referred, ...made.referred] };
  };
  return [{ from, cut, covered, limit, words }];
}

/** Share of the room that the words of both sides may take beside a summary. */
const VERBATIM_SHARE = 0.4;

function withVerbatim(
  { model: { tokenizer: family } }: PlanContext,
  history: History,
  text: string,
  { room, referred }: { readonly room: number; readonly referred: readonly Referred[] },
): SummaryWords {
  const left = room * ESTIMATE_MARGIN - estimateText(text, family);
  const added = verbatimAddition({ history, budget: Math.min(left, room * VERBATIM_SHARE), family });
  if (added.text === "") return { text, referred };
  return { text: `${text}\n\n${added.text}`, referred: [...referred, ...added.referred] };
}

function fromNotes(
  context: PlanContext,
  view: History,
  order: CompactionOrder,
): readonly (WordsCandidate | RefusedWords)[] {
  const { part } = order;
  const { notes } = order.material;
  // Notes cover the whole conversation: they cannot replace a chosen part of it.
  if (!notes || part) return [];
  const cut = notesCut(context, view, notes);
  if (typeof cut === "string") return [{ from: "notes", why: cut }];
  const covered = originalsOf(context, view, cut);
  const referred = [wholeTranscript(covered)];
  const words = (room: number): SummaryWords => ({
    text: notesForWindow(notes.text, Math.min(defaultNotesBudget.total, Math.floor(room * ESTIMATE_MARGIN))),
    referred,
  });
  return [{ from: "notes", cut, covered, limit: limitOf(context, order), words }];
}

function fromMessages(
  context: PlanContext,
  view: History,
  { allowed }: CompactionOrder,
  cut: WindowCut,
): WordsCandidate {
  const { settings, model, history, weigh } = context;
  const covered = originalsOf(context, view, cut);
  const words = (room: number, shown: string): SummaryWords => {
    const wanted = Math.min(settings.autocompact.summary, room);
    const most = tokensUpTo(covered, wanted / MOST_OF_COVERED, weigh) * MOST_OF_COVERED;
    const budget = Math.floor(Math.min(wanted, most) * ESTIMATE_MARGIN);
    const family = model.tokenizer;
    return summariseDeterministically({ history: covered, whole: history, shown, budget, family });
  };
  return { from: "messages", cut, covered, limit: allowed, words };
}

/** Tokens of the newest messages, as soon as they are that many: the older ones need not be weighed. */
function tokensUpTo(items: History, enough: number, weigh: PlanContext["weigh"]) {
  let tokens = 0;
  for (let at = items.length - 1; at >= 0 && tokens < enough; at--)
    tokens += weigh(items[at] as History[number]);
  return tokens;
}

/** Every original message that the cut takes out, now or with an earlier compaction. */
function originalsOf(context: PlanContext, view: History, { first, start }: WindowCut): History {
  const from = first === 0 ? 0 : originalsBefore(context, view, first);
  return context.history.slice(from, originalsBefore(context, view, start));
}

function wholeTranscript(covered: History) {
  return referenceTo(transcriptContent(covered), "the whole conversation up to here, readable");
}

/** `messages`: from what the messages themselves say, without a model. */
export type WordsFrom = "on-demand" | "notes" | "model" | "messages";

/** SummaryWords that a model gave beforehand. `through` names the last message of the window that they stand for. */
export type ReadySummary =
  | {
      readonly from: "model";
      readonly text: string;
      readonly through: string;
      /** Ids of original messages that the summariser did not get to see. */
      readonly unseen?: readonly string[];
      /** The user's words and what they answer are added word for word, where there is room. */
      readonly addsVerbatim?: true;
    }
  /** The API's own signed block, sent first in place of what it stands for. */
  | { readonly from: "on-demand"; readonly block: Block; readonly through: string };

/** SummaryWords that were not used, and why. */
export interface RefusedWords {
  readonly from: WordsFrom;
  readonly why: string;
}
