// Keyboard shortcuts: parses keys into commands (`/`, `?`, `j`, `k`, Esc, and `g` with a page's letter) and runs them.
import { signal } from "@preact/signals";
import { getFilter, navigate, type PageName, route, routeOn, setFilters } from "./route.ts";

export const pageKeys: Readonly<Record<string, PageName>> = {
  h: "home",
  l: "live",
  t: "timeline",
  f: "search",
  s: "sessions",
  m: "memory",
  n: "stats",
  e: "settings",
};

type KeyCommand =
  | { readonly kind: "page"; readonly page: PageName }
  | { readonly kind: "search" | "palette" | "help" | "next" | "previous" | "close" };

const commandKeys: Readonly<Record<string, Exclude<KeyCommand["kind"], "page">>> = {
  "/": "search",
  "?": "help",
  j: "next",
  k: "previous",
};

interface KeyPress {
  readonly key: string;
  /** With Control, Alt or Meta, which the browser uses. */
  readonly isModified: boolean;
  /** Into a field. */
  readonly isTyping: boolean;
}

interface ParsedKey {
  readonly command?: KeyCommand;
  /** `g` was typed, and the next letter names a page. */
  readonly isWaiting: boolean;
}

export function parseKey({ key, isModified, isTyping }: KeyPress, isWaiting: boolean): ParsedKey {
  const run = (command: KeyCommand) => ({ command, isWaiting: false });
  if (isModified) return key === "k" ? run({ kind: "palette" }) : { isWaiting: false };
  if (key === "Escape") return run({ kind: "close" });
  if (isTyping) return { isWaiting: false };
  const page = isWaiting ? pageKeys[key] : undefined;
  if (page !== undefined) return run({ kind: "page", page });
  const kind = commandKeys[key];
  return kind === undefined ? { isWaiting: key === "g" } : run({ kind });
}

export const isHelpOpen = signal(false);
export const isPaletteOpen = signal(false);
/** Set by `/`: the field of the search page takes the focus as soon as it is there. */
export const wantsSearchFocus = signal(false);

function isVisible(line: HTMLElement) {
  const { top, bottom } = line.getBoundingClientRect();
  return bottom > 80 && top < innerHeight;
}

/** Moves to the next or previous element with the attribute `data-line`. */
function moveFocus(step: 1 | -1) {
  const lines = [...document.querySelectorAll<HTMLElement>("[data-line]")];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? lines.find(isVisible) : lines[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Closes the open panel and gives the focus back to the line that opened it. */
export function closePanel() {
  // On other pages `file` is a filter of the list.
  const names = route.value.page === "memory" ? ["file"] : ["item", "event"];
  const open = names.map(getFilter).find((ref) => ref !== "");
  if (open === undefined) return;
  setFilters(Object.fromEntries(names.map((name) => [name, ""])));
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`[data-ref="${CSS.escape(open)}"]`)?.focus();
  });
}

function runCommand(command: KeyCommand) {
  const focused = document.activeElement;
  if (command.kind === "next") moveFocus(1);
  else if (command.kind === "previous") moveFocus(-1);
  else if (command.kind === "palette") isPaletteOpen.value = true;
  else if (command.kind === "help") isHelpOpen.value = true;
  else if (command.kind === "close") {
    if (isField(focused)) focused.blur();
    else closePanel();
  } else if (command.kind === "search") {
    wantsSearchFocus.value = true;
    if (route.value.page !== "search") navigate(routeOn("search"));
  } else if (command.kind === "page") {
    navigate(routeOn(command.page));
    document.getElementById("main")?.focus();
  }
}

function isField(target: EventTarget | null): target is HTMLElement {
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Returns a function that stops listening. */
export function listenToKeys() {
  let isWaiting = false;
  const onKey = (event: KeyboardEvent) => {
    // A dialog handles Escape itself, and nothing behind it moves.
    if (document.querySelector("dialog[open]") !== null || event.isComposing) return;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const parsed = parseKey({ key: event.key, isModified, isTyping: isField(event.target) }, isWaiting);
    isWaiting = parsed.isWaiting;
    if (!parsed.command) return;
    event.preventDefault();
    runCommand(parsed.command);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
