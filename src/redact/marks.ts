// The visible marks that stand where something was hidden.
import type { Found } from "./found.ts";

/** What a reader sees instead of the hidden text. */
export const mark = (kind: string): string => `[redacted: ${kind}]`;

/** How every mark begins: text that already carries one is left alone. */
export const MARK_START = "[redacted: ";

/** So many parts are joined at once: a list of all of them would outgrow the young generation. */
const JOINED = 4_096;

/** The text with a mark in place of each stretch; stretches are in order and apart. */
export function withMarks(text: string, stretches: readonly Found[]): string {
  // One string a kind: a text may hold a hundred thousand marks.
  const marks = new Map<string, string>();
  const markOf = (kind: string): string => {
    const made = marks.get(kind) ?? mark(kind);
    marks.set(kind, made);
    return made;
  };
  let [result, at] = ["", 0];
  let parts: string[] = [];
  for (const { kind, start, end } of stretches) {
    parts.push(text.slice(at, start), markOf(kind));
    at = end;
    if (parts.length < JOINED) continue;
    result += parts.join("");
    parts = [];
  }
  return result + parts.join("") + text.slice(at);
}
