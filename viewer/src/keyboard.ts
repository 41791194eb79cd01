// Listens to keys and does what they say: moves through the lines of a page, opens pages, closes what is open.
import { signal } from "@preact/signals";
import { placeOn } from "./state/address.ts";
import { type Command, readStroke } from "./state/keys.ts";
import { filter, filtered, go, place } from "./state/place.ts";

export const isHelpOpen = signal(false);
/** Asked for by `/`: the field of the search page takes the focus when it is there. */
export const wantsSearchFocus = signal(false);

/** Everything that can be gone through with `j` and `k` says so. */
const LINES = "[data-line]";

function isVisible(line: HTMLElement): boolean {
  const { top, bottom } = line.getBoundingClientRect();
  return bottom > 80 && top < innerHeight;
}

function move(step: 1 | -1): void {
  const lines = [...document.querySelectorAll<HTMLElement>(LINES)];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? lines.find(isVisible) : lines[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** What is open beside the page is closed, and the line that opened it has the focus again. */
export function closeItem(): void {
  // On other pages `file` is a filter, and stays.
  const names = place.value.page === "memory" ? ["file"] : ["item", "event"];
  const open = names.map(filtered).find((ref) => ref !== "");
  if (open === undefined) return;
  filter(Object.fromEntries(names.map((name) => [name, ""])));
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`${LINES}[data-ref="${CSS.escape(open)}"]`)?.focus();
  });
}

function leave(): void {
  if (isTypingIn(document.activeElement)) (document.activeElement as HTMLElement).blur();
  else closeItem();
}

function carryOut(command: Command): void {
  if (command.kind === "next") move(1);
  else if (command.kind === "previous") move(-1);
  else if (command.kind === "close") leave();
  else if (command.kind === "help") isHelpOpen.value = true;
  else if (command.kind === "search") {
    wantsSearchFocus.value = true;
    if (place.value.page !== "search") go(placeOn("search", place.value.filters));
  } else if (command.kind === "page") {
    go(placeOn(command.page, place.value.filters));
    document.getElementById("main")?.focus();
  }
}

function isTypingIn(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Gives what stops listening. */
export function listenToKeys(): () => void {
  let isWaiting = false;
  const onKey = (event: KeyboardEvent): void => {
    // A dialog has its own Escape, and nothing behind it moves.
    if (document.querySelector("dialog[open]") !== null || event.isComposing) return;
    const { key, target } = event;
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    const read = readStroke({ key, isModified, isTyping: isTypingIn(target) }, isWaiting);
    isWaiting = read.isWaiting;
    if (read.command === undefined) return;
    event.preventDefault();
    carryOut(read.command);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
