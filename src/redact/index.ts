// Hides what must not be kept (private text, secrets), and finds what must not be obeyed, before anything is stored,
// indexed, logged or sent.
import { createRedact, ownFinders, type Redact, type Redaction } from "./rules.ts";
import { secretlintFinders } from "./secretlint.ts";
import type { TimeLimit } from "./timeLimit.ts";
import { type RedactedValue, redactValueWith } from "./value.ts";

export type { Found } from "./found.ts";
export { inert, lookalikeBrackets, quoted } from "./inert.ts";
export { findInjected, findOrders, type InjectedKind } from "./injected.ts";
export { OVERDUE_MARK, RedactionOverdue, timeLimit } from "./timeLimit.ts";

let loaded: Redact | undefined;
/** The rules are put together with the first text. */
const scan: Redact = (text, options) => {
  loaded ??= createRedact([...ownFinders, ...secretlintFinders()]);
  return loaded(text, options);
};

/** The full scan of a text. Synchronous and linear in its length; redacting twice changes nothing. */
export const redactText = (text: string): Redaction => scan(text);

/**
 * The full scan of every string in a JSON value, the names of its fields included. Throws RedactionOverdue when a
 * limit is given and reached, nothing else.
 */
export const redactValue = <T>(value: T, limit?: TimeLimit): RedactedValue<T> =>
  redactValueWith(scan, value, limit);
