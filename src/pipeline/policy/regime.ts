// When may old content be changed? The answer of each thinking regime.
import { type History, isUserInput } from "../../messages/index.ts";
import type { ModelInfo } from "../../tokens/index.ts";
import type { CacheOutlook } from "./outlook.ts";

export interface Legality {
  /** Old content may be changed with this request. */
  readonly editOld: boolean;
  /** Why not, for the receipt and for whoever asked. */
  readonly why: string;
  /** A change of old content must come with the removal of all earlier thinking. */
  readonly dropAllThinking: boolean;
  /** Where the current turn begins in the view: thinking before it may go where thinking is not bound. */
  readonly turnStart: number;
}

/**
 * In the append-only regime every thinking block is bound to all that precedes it. There old content may change
 * only at a cold user turn, where all thinking goes with it; never inside a tool call, where the API wants the
 * thinking that led to the call.
 */
export function legalityOf(model: ModelInfo, view: History, outlook: CacheOutlook): Legality {
  const turnStart = view.findLastIndex(isUserInput);
  const bound = model.thinking === "append-only";
  const base = { dropAllThinking: bound, turnStart };
  if (!bound) return { ...base, editOld: true, why: "" };
  const last = view.at(-1);
  if (last === undefined || !isUserInput(last)) {
    return {
      ...base,
      editOld: false,
      why: `${model.id} binds thinking to all that precedes it: waiting for a user turn with a cold cache`,
    };
  }
  if (outlook.predicted !== "cold") {
    return {
      ...base,
      editOld: false,
      why: `${model.id} binds thinking to all that precedes it: waiting until the cache is cold`,
    };
  }
  return { ...base, editOld: true, why: "" };
}
