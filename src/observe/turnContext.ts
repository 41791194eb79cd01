// What is known of a turn before its observations are written.
import {
  type Action,
  actionOf,
  type Fix,
  fixesIn,
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
  /** Those to be observed, without the agent's own books: reading the memory is nothing to remember. */
  readonly fresh: readonly Action[];
  readonly todos: readonly Todo[];
  readonly plan: Plan | undefined;
  readonly request: string;
  /** What the assistant said at the end, or last. */
  readonly words: string;
  /** What the assistant had said before the user spoke. */
  readonly before: string;
  readonly agentSummary: SummedUp | undefined;
  readonly rows: NonNullable<TurnToObserve["rows"]>;
  /** Subagents are observed by themselves. */
  readonly reported: boolean;
  readonly phrases: Phrases;
}

export function turnContextOf({
  calls,
  fresh,
  folder,
  request,
  words,
  before = "",
  rows = {},
  reported = false,
  language,
  agentSummary,
}: TurnToObserve): TurnContext {
  const actions = calls.map((call) => actionOf(call, folder));
  return {
    actions,
    fresh: actions.filter(({ id, kind }) => kind !== "upkeep" && (fresh === undefined || fresh.has(id))),
    todos: todosOf(calls),
    plan: planOf(calls),
    request,
    // Claude Code records this text for the assistant when no answer was requested.
    words: words.trim() === "No response requested." ? "" : words,
    before,
    agentSummary,
    rows,
    reported,
    phrases: phrasesOf(language),
  };
}

/** Repairs of the turn that these actions are part of. */
export const fixesOf = (actions: readonly Action[], context: TurnContext): readonly Fix[] =>
  fixesIn(context.actions).filter((fix) => fix.actions.some((action) => actions.includes(action)));
