// How other agents and APIs write a conversation: read as messages of ours, and written back with edits, everything else untouched.
export { chatCompletions } from "./chatCompletions.ts";
export {
  type MessageDialect,
  type MessageEdit,
  type ReadItems,
  rewriteItems,
} from "./model.ts";
export { openCodeMessages } from "./openCode.ts";
export { piMessages } from "./pi.ts";
export { responses } from "./responses.ts";
