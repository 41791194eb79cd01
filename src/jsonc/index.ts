// JSON with comments, parsed with positions and changed without touching a byte around the change.
export { lineAt, type Node, parseDocument } from "./document.ts";
export {
  applySplices,
  type JsonPath,
  removeFromText,
  removeSplices,
  reversed,
  type Splice,
  setInText,
  setSplices,
} from "./edit.ts";
