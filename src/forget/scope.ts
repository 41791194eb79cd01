// What somebody wants forgotten, as it came over a wire or from a command line.
import { givenText, isObject, ThroughlineError } from "../lib/index.ts";
import type { Scope } from "../store/index.ts";

function readTime(name: string, value: unknown): string | undefined {
  const given = givenText(value);
  if (given === undefined) return undefined;
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw new ThroughlineError("usage", `${name} is an ISO time, not ${given}`);
  return new Date(time).toISOString();
}

/** Throws `usage` for times that are none. */
export function readScope(value: unknown): Scope {
  const given = isObject(value) ? value : {};
  const entries = {
    session: givenText(given.session),
    project: givenText(given.project),
    from: readTime("from", given.from),
    to: readTime("to", given.to),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, entry]) => entry !== undefined));
}
