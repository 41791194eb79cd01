// Text as search sees it: terms, passages, and what kind of text it is. The index and the question must agree on these.
export { chineseFor, englishFor } from "./glossary.ts";
export { type Mark, type Marker, makeMarker } from "./marks.ts";
export { passagesWithTerms } from "./passages.ts";
export { type RowClass, rowClasses, rowClassOf } from "./rowClass.ts";
export { stem } from "./stem.ts";
export { hasCjk, isStopWord, type QueryTerm, queryTerms, termsOf } from "./terms.ts";
export {
  definedName,
  isCode,
  isQuestion,
  isStandingRequest,
} from "./traits.ts";
export { standsFor, stemsBefore, typedPart, typedTerms } from "./unfinished.ts";
export { initials } from "./wordLists.ts";
