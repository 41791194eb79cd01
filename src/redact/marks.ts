// The visible marks that stand where something was hidden.
import type { Found } from "./found.ts";

/** What a reader sees instead of the hidden text. */
export const mark = (kind: string) => `[redacted: ${kind}]`;

/** How every mark begins: text that already carries one is left alone. */
export const MARK_START = "[redacted: ";

/** The text with a mark in place of each stretch; stretches are in order and apart. */
export function hideStretches(text: string, stretches: readonly Found[]) {
  let result = "";
  let at = 0;
  for (const { kind, start, end } of stretches) {
    result += text.slice(at, start) + mark(kind);
    at = end;
  }
  return result + text.slice(at);
}
