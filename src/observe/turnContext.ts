// What is known of a turn before its observations are written.
import { type Activity, extractActivity } from "../activity/index.ts";
import { toolPairs } from "../messages/index.ts";
import { type Action, actionOf } from "./actions.ts";
import { boundedHistory } from "./bounded.ts";
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
const closing = (words: string): string => (words.trim() === "No response requested." ? "" : words);
