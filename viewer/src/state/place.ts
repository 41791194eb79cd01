// Where the reader is. The address bar is the truth; this follows it and changes it.
import { computed, signal } from "@preact/signals";
import { addressOf, type PageName, type Place, placeOn, readAddress } from "./address.ts";

const address = signal(location.hash);

export const place = computed(() => readAddress(address.value));

export function followAddress(): void {
  addEventListener("hashchange", () => {
    address.value = location.hash;
  });
}

/** `replace` for what is no step to come back to, such as each letter of a question. */
export function go(to: Place, how: "push" | "replace" = "push"): void {
  const next = addressOf(to);
  if (next === location.hash) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", next);
  address.value = next;
}

/** An empty text takes a filter away. */
export function filter(changes: Readonly<Record<string, string>>, how: "push" | "replace" = "push"): void {
  const { page, id, filters } = place.value;
  go({ page, ...(id === undefined ? {} : { id }), filters: { ...filters, ...changes } }, how);
}

export function filtered(name: string): string {
  return place.value.filters[name] ?? "";
}

export function linkTo(page: PageName): string {
  return addressOf(placeOn(page, place.value.filters));
}

export function sessionLink(id: string, filters: Readonly<Record<string, string>> = {}): string {
  return addressOf({ page: "session", id, filters });
}
