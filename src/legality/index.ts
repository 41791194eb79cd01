// What a request allows: the API's rules on messages, edits by thinking regime, pins, and what the API manages by itself.
export {
  bindsThinking,
  boundUntil,
  broughtBack,
  broughtBackItems,
  holdsThinking,
  LEGAL_POINT,
  type Legality,
  legalityOf,
  pinnedItems,
  wasTakenBack,
} from "./legality.ts";
export {
  appliedEdits,
  CONTEXT_MANAGEMENT_BETA,
  type ContextManagement,
  clearedTokens,
  managementOf,
  paramsFor,
  STANDS_BACK,
} from "./management.ts";
export { assertValid, assertWithinLimits, commonBeginning, validHistory } from "./validity.ts";
