// The visible marks that stand where something was hidden.

/** What a reader sees instead of the hidden text. */
export const mark = (kind: string): string => `[redacted: ${kind}]`;

/** How every mark begins: text that already carries one is left alone. */
export const MARK_START = "[redacted: ";
