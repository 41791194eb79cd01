// Events turned into observations and turns into summaries: by rules alone, and in better words where a model is at hand.
export { historyOfEvents, type TurnEvent } from "./events.ts";
export {
  type DraftType,
  draftTypes,
  type ObservationDraft,
  type ObservedTurn,
  type SummaryDraft,
  type TurnToObserve,
} from "./model.ts";
export { observeTurn } from "./observeTurn.ts";
export { type Refined, type Refining, refineTurn } from "./refine.ts";
export { lastQuestion } from "./words.ts";
