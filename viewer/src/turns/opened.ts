// Which turns and calls are open: in the address, so that a link opens them again.
import { getFilter, setFilters } from "../state/route.ts";

const MOST_OPEN = 12;

const namesIn = (filter: "turn" | "call") => getFilter(filter).split(",").filter(Boolean);

export const openTurns = (): ReadonlySet<string> => new Set(namesIn("turn"));
export const openCalls = (): ReadonlySet<string> => new Set(namesIn("call"));

export function toggle(filter: "turn" | "call", name: string) {
  const open = namesIn(filter);
  const left = open.includes(name) ? open.filter((one) => one !== name) : [...open, name];
  setFilters({ [filter]: left.slice(-MOST_OPEN).join(",") }, "replace");
}
