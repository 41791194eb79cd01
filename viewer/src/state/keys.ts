// Keys as commands: `/`, `?`, `j`, `k`, Esc, and `g` with the letter of a page.
import type { PageName } from "./address.ts";

export type Command =
  | { readonly kind: "page"; readonly page: PageName }
  | { readonly kind: "search" | "help" | "next" | "previous" | "close" };

interface Stroke {
  readonly key: string;
  /** Control, Alt or Meta: those belong to the browser. */
  readonly isModified: boolean;
  /** The reader writes into a field. */
  readonly isTyping: boolean;
}

export const pageKeys: Readonly<Record<string, PageName>> = {
  l: "live",
  t: "timeline",
  f: "search",
  s: "sessions",
  m: "memory",
  n: "stats",
  e: "settings",
};

const plain: Readonly<Record<string, Command["kind"]>> = {
  "/": "search",
  "?": "help",
  j: "next",
  k: "previous",
};

interface Read {
  readonly command?: Command;
  /** `g` was typed, and the next letter names a page. */
  readonly isWaiting: boolean;
}

export function readStroke({ key, isModified, isTyping }: Stroke, isWaiting: boolean): Read {
  if (isModified) return { isWaiting: false };
  if (key === "Escape") return { command: { kind: "close" }, isWaiting: false };
  if (isTyping) return { isWaiting: false };
  const page = isWaiting ? pageKeys[key] : undefined;
  if (page !== undefined) return { command: { kind: "page", page }, isWaiting: false };
  if (key === "g") return { isWaiting: true };
  const kind = plain[key];
  return kind === undefined || kind === "page"
    ? { isWaiting: false }
    : { command: { kind }, isWaiting: false };
}
