// Keys: read as commands (`/`, `?`, `j`, `k`, Esc, and `g` with the letter of a page) and carried out.

import { signal } from "@preact/signals";
import { getFilter, navigate, type PageName, route, routeOn, setFilters } from "./route.ts";

export type KeyCommand =
  | { readonly kind: "page"; readonly page: PageName }
  | { readonly kind: "search" | "help" | "next" | "previous" | "close" };

interface KeyPress {
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

const commandKeys: Readonly<Record<string, KeyCommand["kind"]>> = {
  "/": "search",
  "?": "help",
  j: "next",
  k: "previous",
};

interface ParsedKey {
  readonly command?: KeyCommand;
  /** `g` was typed, and the next letter names a page. */
  readonly isWaiting: boolean;
}

export function parseKey({ key, isModified, isTyping }: KeyPress, isWaiting: boolean): ParsedKey {
  if (isModified) return { isWaiting: false };
  if (key === "Escape") return { command: { kind: "close" }, isWaiting: false };
  if (isTyping) return { isWaiting: false };
  const page = isWaiting ? pageKeys[key] : undefined;
  if (page !== undefined) return { command: { kind: "page", page }, isWaiting: false };
  if (key === "g") return { isWaiting: true };
  const kind = commandKeys[key];
  return kind === undefined || kind === "page"
    ? { isWaiting: false }
    : { command: { kind }, isWaiting: false };
}

export const isHelpOpen = signal(false);
/** Asked for by `/`: the field of the search page takes the focus when it is there. */
export const wantsSearchFocus = signal(false);

/** Everything that can be gone through with `j` and `k` says so. */
const LINE_SELECTOR = "[data-line]";

function isVisible(line: HTMLElement) {
  const { top, bottom } = line.getBoundingClientRect();
  return bottom > 80 && top < innerHeight;
}

function moveFocus(step: 1 | -1) {
  const lines = [...document.querySelectorAll<HTMLElement>(LINE_SELECTOR)];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? lines.find(isVisible) : lines[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** What is open beside the page is closed, and the line that opened it has the focus again. */
export function closePanel(): void {
  // On other pages `file` is a filter, and stays.
  const names = route.value.page === "memory" ? ["file"] : ["item", "event"];
  const open = names.map(getFilter).find((ref) => ref !== "");
  if (open === undefined) return;
  setFilters(Object.fromEntries(names.map((name) => [name, ""])));
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`${LINE_SELECTOR}[data-ref="${CSS.escape(open)}"]`)?.focus();
  });
}

function blurOrClose() {
  if (isTypingIn(document.activeElement)) (document.activeElement as HTMLElement).blur();
  else closePanel();
}

function runCommand(command: KeyCommand) {
  if (command.kind === "next") moveFocus(1);
  else if (command.kind === "previous") moveFocus(-1);
  else if (command.kind === "close") blurOrClose();
  else if (command.kind === "help") isHelpOpen.value = true;
  else if (command.kind === "search") {
    wantsSearchFocus.value = true;
    if (route.value.page !== "search") navigate(routeOn("search", route.value.filters));
  } else if (command.kind === "page") {
    navigate(routeOn(command.page, route.value.filters));
    document.getElementById("main")?.focus();
  }
}

function isTypingIn(target: EventTarget | null) {
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Gives what stops listening. */
export function listenToKeys(): () => void {
  let isWaiting = false;
  const onKey = (event: KeyboardEvent) => {
    // A dialog has its own Escape, and nothing behind it moves.
    if (document.querySelector("dialog[open]") !== null || event.isComposing) return;
    const { key, target } = event;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const read = parseKey({ key, isModified, isTyping: isTypingIn(target) }, isWaiting);
    isWaiting = read.isWaiting;
    if (read.command === undefined) return;
    event.preventDefault();
    runCommand(read.command);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
