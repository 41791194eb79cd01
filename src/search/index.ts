// Search: one question over everything that is kept, ranked and explained, and the timeline around what was found.
export { type ClearParts, clearlyAbout } from "./clear.ts";
export type { HitKind } from "./found.ts";
export { hitFrom, readRef, refOf, rowsOf } from "./hits.ts";
export { type EmbedderSource, type EmbeddingStore, embedNext } from "./meaning.ts";
export {
  type Hit,
  type Layer,
  layers,
  type MemoryDocument,
  type MemorySource,
  type Reason,
  type SearchAnswer,
  type SearchFilter,
  type SearchRequest,
} from "./model.ts";
export { readSearchRequest, readShowRequest, readTimelineRequest } from "./request.ts";
export { type SearchParts, search } from "./search.ts";
export { type Shown, show } from "./show.ts";
export { type Timeline, type TimelineParts, type TimelineRequest, timeline } from "./timeline.ts";
