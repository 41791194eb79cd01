// Events turned into observations and turns into summaries: by rules alone, and in better words where a model is at hand.
export type { ObservationDraft, ObservedTurn } from "./model.ts";
export { observeTurn } from "./observeTurn.ts";
export { phrasesOf } from "./phrases.ts";
export { type Refined, refineTurn } from "./refine.ts";
export { turnOfEvents } from "./turn.ts";
export { isMarkedUndone, isUndoneBy, markUndone } from "./undone.ts";
