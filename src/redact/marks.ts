// The visible marks that stand where something was hidden.

const marks = new Map<string, string>();

/** What a reader sees instead of the hidden text. One string a kind: a text may hold a hundred thousand of them. */
export function mark(kind: string): string {
  const known = marks.get(kind);
  if (known !== undefined) return known;
  const made = `[redacted: ${kind}]`;
  marks.set(kind, made);
  return made;
}

/** How every mark begins: text that already carries one is left alone. */
export const MARK_START = "[redacted: ";
