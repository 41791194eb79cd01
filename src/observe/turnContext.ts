// What is known of a turn before its observations are written.
import {
  type Action,
  actionOf,
  type Plan,
  planOf,
  type SummedUp,
  type Todo,
  todosOf,
} from "../activity/index.ts";
import type { TurnToObserve } from "./model.ts";
import { type Phrases, phrasesOf } from "./phrases.ts";

export interface TurnContext {
  /** All actions, those that were observed before among them. */
  readonly actions: readonly Action[];
  readonly fresh: readonly Action[];
  readonly todos: readonly Todo[];
  readonly plan: Plan | undefined;
  readonly request: string;
  /** What the assistant said at the end, or last. */
  readonly words: string;
  /** What the assistant had said before the user spoke. */
  readonly before: string;
  readonly agentSummary: SummedUp | undefined;
  readonly phrases: Phrases;
}

export function turnContextOf({
  calls,
  fresh,
  folder,
  request,
  words,
  before = "",
  language,
  agentSummary,
}: TurnToObserve): TurnContext {
  const actions = calls.map((call) => actionOf(call, folder));
  return {
    actions,
    fresh: fresh === undefined ? actions : actions.filter(({ id }) => fresh.has(id)),
    todos: todosOf(calls),
    plan: planOf(calls),
    request,
    // Claude Code records this text for the assistant when no answer was requested.
    words: words.trim() === "No response requested." ? "" : words,
    before,
    agentSummary,
    phrases: phrasesOf(language),
  };
}
