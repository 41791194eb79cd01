// What is shown of a result that is too large: a preview by its kind, or the difference to what the window shows already.
export { headReference, isPersisted, typedReference } from "./preview.ts";
export { rereadOf, type ShownText } from "./reread.ts";
