// What is known of a turn before anything is told of it.
import { type Activity, extractActivity } from "../activity/index.ts";
import { toolPairs } from "../messages/index.ts";
import { type Deed, deedOf } from "./actions.ts";
import { boundedHistory } from "./bounded.ts";
import type { TurnToObserve } from "./model.ts";
import { type Phrases, phrasesOf } from "./phrases.ts";

export interface Scene {
  readonly activity: Activity;
  /** All deeds, those that were observed before among them. */
  readonly deeds: readonly Deed[];
  readonly fresh: readonly Deed[];
  readonly request: string;
  /** What the assistant said at the end, or last. */
  readonly words: string;
  /** What the assistant had asked before. */
  readonly question: string | undefined;
  readonly phrases: Phrases;
}

export function sceneOf(turn: TurnToObserve): Scene {
  const { fresh, folder, question, language } = turn;
  const history = boundedHistory(turn.history);
  const activity = extractActivity(history);
  const deeds = toolPairs(history).map((pair) => deedOf(pair, folder));
  return {
    activity,
    deeds,
    fresh: fresh === undefined ? deeds : deeds.filter(({ id }) => fresh.has(id)),
    request: activity.inputs.map(({ text }) => text).join("\n"),
    words: closing(activity.lastWords?.text ?? ""),
    question,
    phrases: phrasesOf(language),
  };
}

/** What a client has the assistant say when nobody asked it anything. */
const closing = (words: string): string => (words.trim() === "No response requested." ? "" : words);
