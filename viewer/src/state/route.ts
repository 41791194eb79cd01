// The address bar as a value: page, id and filters. They follow a `#`, so that no query ever leaves the browser.
import { computed, signal } from "@preact/signals";

export const pageNames = [
  "home",
  "live",
  "timeline",
  "search",
  "sessions",
  "memory",
  "stats",
  "settings",
] as const;

/** The pages of the navigation; a session is reached from a list. */
export type PageName = (typeof pageNames)[number];

type RouteFilters = Readonly<Record<string, string>>;

export interface Route {
  readonly page: PageName | "session";
  /** Of a session. */
  readonly id?: string;
  readonly filters: RouteFilters;
}

const address = signal("");

export const route = computed(() => readAddress(address.value));

export function followHash() {
  const follow = () => {
    address.value = location.hash;
  };
  follow();
  addEventListener("hashchange", follow);
}

/** `replace` for a change that needs no entry in the history, such as each letter of a query. */
export function navigate(to: Route, how: "push" | "replace" = "push") {
  const next = addressOf(to);
  if (next === location.hash) return;
  history[`${how}State`](null, "", next);
  address.value = next;
}

/** An empty text removes a filter. */
export function setFilters(changes: RouteFilters, how?: "push" | "replace") {
  navigate({ ...route.value, filters: { ...route.value.filters, ...changes } }, how);
}

export const getFilter = (name: string) => route.value.filters[name] ?? "";

export const linkTo = (page: PageName) => addressOf(routeOn(page));

export const sessionLink = (id: string) => addressOf({ page: "session", id, filters: {} });

function decodeOrKeep(text: string) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // An invalid escape, in an address typed by hand.
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Any address that is not one of ours is the first page. */
export function readAddress(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, id] = path.split("/");
  const filters = Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== ""));
  if (name === "session" && id) return { page: "session", id: decodeOrKeep(id), filters };
  return { page: pageNames.find((page) => page === name) ?? "home", filters };
}

/** Filters are sorted, so that one state has one address; empty ones are left out. */
export function addressOf({ page, id, filters }: Route) {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  const path = page === "session" ? `session/${encodeURIComponent(id ?? "")}` : page;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** The one-time code that `throughline open` puts into the address. */
export function signInCodeIn(hash: string) {
  return /^#code=([A-Za-z0-9_-]{8,200})$/.exec(hash)?.[1];
}

/** Another page, with the one filter that every page has. */
export function routeOn(page: PageName, { project }: RouteFilters = route.value.filters): Route {
  return { page, filters: project === undefined ? {} : { project } };
}
