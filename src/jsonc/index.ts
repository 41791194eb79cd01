// JSON with comments, read with places and changed without disturbing a byte around the change.
export { lineAt, type Node, parseDocument } from "./document.ts";
export { type JsonPath, removeFromText, removeSplices, setInText, setSplices } from "./edit.ts";
export { applySplices, reversed, type Splice } from "./splices.ts";
