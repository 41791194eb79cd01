// The address bar as a value: page, id and filters. Behind a `#`, so that no question ever leaves the browser.
import { computed, signal } from "@preact/signals";

const address = signal("");

export const place = computed(() => readAddress(address.value));

export function followAddress(): void {
  const follow = () => {
    address.value = location.hash;
  };
  follow();
  addEventListener("hashchange", follow);
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
  go({ ...place.value, filters: { ...place.value.filters, ...changes } }, how);
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

export const pages = ["live", "timeline", "search", "sessions", "memory", "stats", "settings"] as const;

/** The pages of the navigation; a session is reached from a list. */
export type PageName = (typeof pages)[number];

export interface Place {
  readonly page: PageName | "session";
  /** Of a session. */
  readonly id?: string;
  readonly filters: Readonly<Record<string, string>>;
}

function isPage(name: string | undefined): name is PageName {
  return pages.some((page) => page === name);
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // An address written by hand: taken as it stands.
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Anything that is no address of ours is the first page. */
export function readAddress(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, id] = path.split("/");
  const filters = Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ""));
  if (name === "session" && id !== undefined && id !== "") {
    return { page: "session", id: decoded(id), filters };
  }
  return { page: isPage(name) ? name : "live", filters };
}

/** Filters in a fixed order, so that one state has one address; empty ones are left out. */
export function addressOf({ page, id, filters }: Place): string {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  const path = page === "session" ? `session/${encodeURIComponent(id ?? "")}` : page;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** What a one-time code of `throughline open` looks like in the address. */
export function codeIn(hash: string): string | undefined {
  return /^#code=([A-Za-z0-9_-]{8,200})$/.exec(hash)?.[1];
}

/** Filters that still mean something on another page. */
const shared = ["project"];

export function placeOn(page: PageName, filters: Place["filters"]): Place {
  const kept = Object.entries(filters).filter(([name]) => shared.includes(name));
  return { page, filters: Object.fromEntries(kept) };
}
