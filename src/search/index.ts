// Search: one question over everything that is kept, ranked and explained, and the timeline around what was found.
export { type ClearParts, clearlyAbout } from "./clear.ts";
export { hitFrom, readRef, refOf, rowsOf } from "./hits.ts";
export { type EmbeddingStore, embedNext } from "./meaning.ts";
export { type EmbedderMeasure, measureEmbedder, pairsOf } from "./measureEmbedder.ts";
export {
  type Hit,
  type MemoryDocument,
  type MemorySource,
  type SearchAnswer,
  type SearchRequest,
  searchAnswerSchema,
} from "./model.ts";
export { readSearchRequest, readShowRequest, readTimelineRequest } from "./request.ts";
export { type SearchParts, search } from "./search.ts";
export { find } from "./timed.ts";
export {
  type Shown,
  show,
  shownSchema,
  type Timeline,
  type TimelineParts,
  timeline,
  timelineSchema,
} from "./timeline.ts";
export { type Tuning, tuning } from "./weights.ts";
