// What is known of a turn before its observations are written.
import { type Activity, extractActivity } from "../activity/index.ts";
import { isObject } from "../lib/index.ts";
import { type Block, blocksOf, type History, toolPairs } from "../messages/index.ts";
import { type Action, actionOf } from "./actions.ts";
import type { TurnToObserve } from "./model.ts";
import { type Phrases, phrasesOf } from "./phrases.ts";

export interface TurnContext {
  readonly activity: Activity;
  /** All actions, those that were observed before among them. */
  readonly actions: readonly Action[];
  readonly fresh: readonly Action[];
  readonly request: string;
  /** What the assistant said at the end, or last. */
  readonly words: string;
  /** What the assistant had asked before. */
  readonly question: string | undefined;
  readonly phrases: Phrases;
}

export function turnContextOf(turn: TurnToObserve): TurnContext {
  const { fresh, folder, question, language } = turn;
  const history = boundedHistory(turn.history);
  const activity = extractActivity(history);
  const actions = toolPairs(history).map((pair) => actionOf(pair, folder));
  return {
    activity,
    actions,
    fresh: fresh === undefined ? actions : actions.filter(({ id }) => fresh.has(id)),
    request: activity.inputs.map(({ text }) => text).join("\n"),
    words: closing(activity.lastWords?.text ?? ""),
    question,
    phrases: phrasesOf(language),
  };
}

/** Claude Code records this text for the assistant when no answer was requested. */
const closing = (words: string) => (words.trim() === "No response requested." ? "" : words);

const HALF = 10_000;
/** More of it says nothing, and makes patterns slow. */
const emptiness = /\s{64,}/g;

function boundedText(text: string): string {
  const dense = text.length > 64 ? text.replace(emptiness, "\n") : text;
  return dense.length <= 2 * HALF ? dense : `${dense.slice(0, HALF)}\n…\n${dense.slice(-HALF)}`;
}

function boundedValue(value: unknown): unknown {
  if (typeof value === "string") return boundedText(value);
  if (Array.isArray(value)) return value.map(boundedValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, boundedValue(inner)]));
}

const isBlock = (value: unknown): value is Block => isObject(value) && typeof value.type === "string";

function boundedHistory(history: History): History {
  return history.map((item) => ({
    ...item,
    message: { ...item.message, content: blocksOf(item.message).map(boundedValue).filter(isBlock) },
  }));
}
