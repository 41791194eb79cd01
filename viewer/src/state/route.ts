// The address bar as a value: page, id and filters. Behind a `#`, so that no question ever leaves the browser.
import { computed, signal } from "@preact/signals";

const address = signal("");

export const route = computed(() => readAddress(address.value));

export function followHash(): void {
  const follow = () => {
    address.value = location.hash;
  };
  follow();
  addEventListener("hashchange", follow);
}

/** `replace` for what is no step to come back to, such as each letter of a question. */
export function navigate(to: Route, how: "push" | "replace" = "push"): void {
  const next = addressOf(to);
  if (next === location.hash) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", next);
  address.value = next;
}

/** An empty text takes a filter away. */
export function setFilters(
  changes: Readonly<Record<string, string>>,
  how: "push" | "replace" = "push",
): void {
  navigate({ ...route.value, filters: { ...route.value.filters, ...changes } }, how);
}

export function getFilter(name: string): string {
  return route.value.filters[name] ?? "";
}

export function linkTo(page: PageName): string {
  return addressOf(routeOn(page, route.value.filters));
}

export function sessionLink(id: string, filters: Readonly<Record<string, string>> = {}): string {
  return addressOf({ page: "session", id, filters });
}

export const pageNames = ["live", "timeline", "search", "sessions", "memory", "stats", "settings"] as const;

/** The pages of the navigation; a session is reached from a list. */
export type PageName = (typeof pageNames)[number];

export interface Route {
  readonly page: PageName | "session";
  /** Of a session. */
  readonly id?: string;
  readonly filters: Readonly<Record<string, string>>;
}

function isPage(name: string | undefined): name is PageName {
  return pageNames.some((page) => page === name);
}

function decodeOrKeep(text: string) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // An address written by hand: taken as it stands.
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Anything that is no address of ours is the first page. */
export function readAddress(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, id] = path.split("/");
  const filters = Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ""));
  if (name === "session" && id !== undefined && id !== "") {
    return { page: "session", id: decodeOrKeep(id), filters };
  }
  return { page: isPage(name) ? name : "live", filters };
}

/** Filters in a fixed order, so that one state has one address; empty ones are left out. */
export function addressOf({ page, id, filters }: Route): string {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  const path = page === "session" ? `session/${encodeURIComponent(id ?? "")}` : page;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** What a one-time code of `throughline open` looks like in the address. */
export function signInCodeIn(hash: string): string | undefined {
  return /^#code=([A-Za-z0-9_-]{8,200})$/.exec(hash)?.[1];
}

/** Filters that still mean something on another page. */
const sharedFilters = ["project"];

export function routeOn(page: PageName, filters: Route["filters"]): Route {
  const kept = Object.entries(filters).filter(([name]) => sharedFilters.includes(name));
  return { page, filters: Object.fromEntries(kept) };
}
