// The conversation itself in any size asked for: the user's words first, then what they answer, then what was done.

import { firstCharacters, lastCharacters, sumOf } from "../lib/index.ts";
import type { Action } from "./actions.ts";
import { failingSince, failureLines } from "./checks.ts";
import { isPureAcceptance } from "./choices.ts";
import { condenser, cutText } from "./condense.ts";
import type { Dialogue } from "./exchanges.ts";
import { ownWords } from "./text.ts";

/** A piece of the conversation, and how much of the space it should get against the others. */
interface Piece {
  readonly at: number;
  readonly speaker: string;
  readonly text: string;
  readonly weight: number;
  /** What the assistant said is shortened to its sentences that tell most; `reply` is what the user said to it. */
  readonly reply?: string;
}

/**
 * The user's words bind later work, and a proposal is what they answer. A failure may still stand. What was said and
 * done on the way matters while it is new.
 */
const weights = {
  reply: 5,
  accepted: 6,
  proposal: 3,
  closing: 2,
  failure: 2,
  between: 0.5,
  action: 0.05,
} as const;
/** The newest piece gets this many times its weight on top; the extra falls to a third over `NEWEST` pieces. */
const RECENCY = 6;
const NEWEST = 14;

/** A sentence in bold is what the assistant came to. */
const concluding = /\*\*[^*\n]{20,}\*\*/;
/** Halvings after which the scale is known well enough. */
const STEPS = 14;
/** A piece that would be shorter is left out: it says nothing. */
const SHORTEST = 40;
/** A reply of the user is not cut below this while all of them together leave half of the space to the rest. */
const SHORT_REPLY = 400;

interface SpokenAndDone extends Dialogue {
  readonly actions: readonly Action[];
}

function textPiece({ at, text, isClosing }: Dialogue["texts"][number], reply: string | undefined): Piece {
  const weight =
    reply === undefined
      ? weights[isClosing || concluding.test(text) ? "closing" : "between"]
      : weights[isPureAcceptance(reply) ? "accepted" : "proposal"];
  return { at, speaker: "assistant", text, weight, reply: reply ?? "" };
}

function replyPieces({ at, reply, proposal, chosen, reversal }: Dialogue["exchanges"][number]): Piece[] {
  const asked: Piece[] =
    !proposal || proposal.kind === "words"
      ? []
      : [
          {
            at,
            speaker: `proposed ${proposal.kind}`,
            text: proposal.text,
            weight: weights.proposal,
            reply,
          },
        ];
  // What was accepted as a whole stands right before the reply.
  const isShown = chosen.length === 0 || (proposal?.kind === "words" && isPureAcceptance(reply));
  const speaker = reversal === "certain" ? "chosen, later taken back" : "chosen";
  const picks: Piece[] = isShown
    ? []
    : [{ at, speaker, text: chosen.join("\n"), weight: weights.proposal, reply }];
  const words: Piece[] = reply === "" ? [] : [{ at, speaker: "user", text: reply, weight: weights.reply }];
  return [...asked, ...words, ...picks];
}

function failurePiece({ at, line, output }: Action): Piece {
  const text = [line, ...failureLines(output)].join("\n");
  return { at, speaker: "failed", text, weight: weights.failure };
}

const MOST_FAILURES = 4;

/** The newest runs of checks and commands that have failed since they last worked. */
function lastFailures(actions: readonly Action[]) {
  const last = new Map(
    actions.flatMap((action) => (action.command ? [[action.command, action] as const] : [])),
  );
  const runs = [...last.values()].filter(({ kind, failed }) => kind === "run" && failed);
  return [...failingSince(actions).slice(-MOST_FAILURES), ...runs];
}

/** The length up to which every one of these texts can be kept, if all of them together may take so much. */
function leastLength(lengths: readonly number[], room: number) {
  let least = SHORT_REPLY;
  while (least > 0 && sumOf(lengths, (length) => Math.min(length, least)) > room) least -= 10;
  return Math.max(0, least);
}

/** What was pasted goes first, then the middle. */
function cutReply(text: string, most: number) {
  if (text.length <= most) return text;
  const own = ownWords(text);
  return own.length < text.length ? cutText(`${own} …`, most) : cutText(text, most);
}

/** Whole lines from the beginning: the first says what was run, the next ones name what failed. */
function firstLines(text: string, most: number) {
  if (text.length <= most) return text;
  const head = firstCharacters(text, most);
  const end = head.lastIndexOf("\n");
  return end > 0 ? head.slice(0, end) : cutText(text, most);
}

/** The pieces of a conversation in their order, and what each may take at any scale. */
interface WeighedPieces {
  readonly pieces: readonly Piece[];
  readonly shares: Float64Array;
  /** Lengths of the user's replies. */
  readonly replies: readonly number[];
  /** Cuts a piece to a length; made when it is needed. */
  readonly cuts: (((most: number) => string) | undefined)[];
}

/** Of more pieces the older ones would get too little space to say anything. */
const MOST_PIECES = 6_000;

/** The newest pieces in their order; at the same place text, call, question, reply and choice. */
function newestPieces({ texts, actions, exchanges }: SpokenAndDone): readonly Piece[] {
  const asked = inOrder(exchanges);
  const answered = new Map<string, string>();
  const newestFirst: Piece[] = [];
  const actionAt = new Map<Action, number>();
  let [text, action, exchange] = [texts.length, actions.length, asked.length];
  while (newestFirst.length < MOST_PIECES && text + action + exchange > 0) {
    const [said, done, reply] = [texts[text - 1], actions[action - 1], asked[exchange - 1]];
    const last = Math.max(said?.at ?? -1, done?.at ?? -1, reply?.at ?? -1);
    if (reply?.at === last) {
      exchange--;
      const { proposal } = reply;
      if (proposal && !answered.has(proposal.row)) answered.set(proposal.row, reply.reply);
      newestFirst.push(...replyPieces(reply).reverse());
    } else if (done?.at === last) {
      action--;
      if (done.kind === "upkeep" || done.kind === "decide") continue;
      actionAt.set(done, newestFirst.length);
      newestFirst.push({ at: done.at, speaker: "did", text: done.line, weight: weights.action });
    } else if (said) {
      text--;
      newestFirst.push(textPiece(said, answered.get(said.row)));
    }
  }
  for (const failed of lastFailures(actions.slice(action))) {
    const place = actionAt.get(failed);
    if (place !== undefined) newestFirst[place] = failurePiece(failed);
  }
  return newestFirst.slice(0, MOST_PIECES).reverse();
}

/** An answer to a call stands where the call does, which may be before what was said meanwhile. */
function inOrder(exchanges: Dialogue["exchanges"]) {
  const isInOrder = exchanges.every(({ at }, index) => at >= (exchanges[index - 1]?.at ?? 0));
  return isInOrder ? exchanges : exchanges.toSorted((a, b) => a.at - b.at);
}

const weighedPieces = new WeakMap<SpokenAndDone, WeighedPieces>();

function piecesOf(activity: SpokenAndDone) {
  let known = weighedPieces.get(activity);
  if (known) return known;
  const pieces = newestPieces(activity);
  const shares = Float64Array.from(pieces, ({ weight }, index) => {
    const extra = RECENCY * Math.exp(-(pieces.length - 1 - index) / NEWEST);
    return weight * (1 + extra);
  });
  const replies = pieces.flatMap(({ speaker, text }) => (speaker === "user" ? [text.length] : []));
  known = { pieces, shares, replies, cuts: [] };
  weighedPieces.set(activity, known);
  return known;
}

function cutFor({ speaker, text, reply }: Piece) {
  if (reply !== undefined) return condenser(text, reply);
  return (most: number) => (speaker === "user" ? cutReply(text, most) : firstLines(text, most));
}

/**
 * At most `budget` characters. Every piece gets its share by weight and nearness to the end; what a short piece leaves
 * goes to the longer ones, so that nothing is cut that need not be.
 */
export function conversationText(activity: SpokenAndDone, budget: number): string {
  const { pieces, shares, replies, cuts } = piecesOf(activity);
  const least = leastLength(replies, budget / 2);
  /** Undefined where the piece has no place. */
  const lengthAt = (index: number, scale: number) => {
    const { text, speaker } = pieces[index] as Piece;
    const share = Math.floor(scale * (shares[index] as number));
    const length = Math.min(text.length, speaker === "user" ? Math.max(least, share) : share);
    return length < SHORTEST && length < text.length ? undefined : length;
  };
  const shown = (index: number, length: number) => {
    const piece = pieces[index] as Piece;
    if (length >= piece.text.length) return piece.text;
    const cut = cuts[index] ?? cutFor(piece);
    cuts[index] = cut;
    return cut(length);
  };
  /** Undefined where it is longer than the budget: it ends as soon as that is known. */
  const rendered = (among: readonly number[], scale: number) => {
    let total = -1;
    const placed: [index: number, length: number][] = [];
    for (const index of among) {
      const length = lengthAt(index, scale);
      if (length === undefined) continue;
      const { text, speaker } = pieces[index] as Piece;
      total += speaker.length + 3 + (length === text.length ? length : 0);
      if (total > budget) return undefined;
      placed.push([index, length]);
    }
    const texts: string[] = [];
    for (const [index, length] of placed) {
      const { text, speaker } = pieces[index] as Piece;
      const cut = shown(index, length);
      if (length < text.length) total += cut.length;
      if (total > budget) return undefined;
      texts.push(`${speaker}: ${cut}`);
    }
    return texts.join("\n");
  };
  let among: readonly number[] = [...pieces.keys()];
  const whole = rendered(among, Number.MAX_SAFE_INTEGER);
  if (whole !== undefined) return whole;
  let [low, high] = [0, budget];
  let best: string | undefined;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    const text = rendered(among, middle);
    if (text !== undefined) [low, best] = [middle, text];
    else {
      high = middle;
      // What has no place at a scale has none at a smaller one.
      among = among.filter((index) => lengthAt(index, middle) !== undefined);
    }
  }
  return best ?? leastText(pieces, lengthAt, shown, budget);
}

/** Where not even the least of every piece fits: the end of it. */
function leastText(
  pieces: readonly Piece[],
  lengthAt: (index: number, scale: number) => number | undefined,
  shown: (index: number, length: number) => string,
  budget: number,
) {
  const texts = pieces.flatMap(({ speaker }, index) => {
    const length = lengthAt(index, 0);
    return length === undefined ? [] : [`${speaker}: ${shown(index, length)}`];
  });
  return lastCharacters(texts.join("\n"), budget);
}
