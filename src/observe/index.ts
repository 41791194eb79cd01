// Events turned into observations and turns into summaries: by rules alone, and in better words where a model is at hand.
export { turnOfEvents } from "./events.ts";
export type { ObservationDraft, ObservedTurn, TurnToObserve } from "./model.ts";
export { observeTurn } from "./observeTurn.ts";
export { refineTurn } from "./refine.ts";
