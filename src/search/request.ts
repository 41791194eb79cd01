// Requests as they come over a wire, checked: what is wrong with one is said by name.
import { givenText, isObject, observationTypes, ThroughlineError } from "../lib/index.ts";
import type { HitKind } from "./found.ts";
import { type Layer, layers, type SearchRequest } from "./model.ts";
import type { TimelineRequest } from "./timeline.ts";

const hitKinds: readonly HitKind[] = ["observation", "summary", "prompt", "message", "memory"];
const MOST = 500;

function usage(message: string): ThroughlineError {
  return new ThroughlineError("usage", message);
}

/** A word, or several: as a list, or with commas between them. */
function wordsOf(value: unknown): string[] | undefined {
  const list = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(",") : [];
  const words = list.map((word) => word.trim()).filter((word) => word !== "");
  return words.length === 0 ? undefined : words;
}

function oneOf<T extends string>(name: string, word: string, known: readonly T[]): T {
  const found = known.find((one) => one === word);
  if (found === undefined) throw usage(`${name} is one of ${known.join(", ")}, not ${word}`);
  return found;
}

function countOf(name: string, value: unknown, least: number): number | undefined {
  if (value === undefined || value === "") return undefined;
  const count = Number(value);
  if (Number.isInteger(count) && count >= least && count <= MOST) return count;
  throw usage(`${name} is a whole number from ${least} to ${MOST}`);
}

function timeOf(name: string, value: unknown): string | undefined {
  const text = givenText(value);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw usage(`${name} is a day or an ISO time, not ${text}`);
  return new Date(time).toISOString();
}

const isTrue = (value: unknown): boolean => value === true || value === "true" || value === "1";

function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function layerOf(value: unknown): Layer | undefined {
  const word = givenText(value);
  return word === undefined ? undefined : oneOf("layer", word, layers);
}

/** Throws `usage` for what is none. */
export function readSearchRequest(value: unknown): SearchRequest {
  const from = isObject(value) ? value : {};
  return {
    query: givenText(from.query) ?? givenText(from.q) ?? "",
    ...given({
      limit: countOf("limit", from.limit, 1),
      offset: countOf("offset", from.offset, 0),
      layer: layerOf(from.layer),
      kinds: wordsOf(from.kinds ?? from.kind)?.map((word) => oneOf("kind", word, hitKinds)),
      types: wordsOf(from.types ?? from.type)?.map((word) => oneOf("type", word, observationTypes)),
      projects: wordsOf(from.projects ?? from.project),
      session: givenText(from.session),
      from: timeOf("from", from.from),
      to: timeOf("to", from.to),
      file: givenText(from.file),
      concept: givenText(from.concept),
      explain: isTrue(from.explain) ? true : undefined,
      typed: isTrue(from.typed) ? true : undefined,
    }),
  };
}

export function readTimelineRequest(value: unknown): TimelineRequest {
  const from = isObject(value) ? value : {};
  const around =
    givenText(from.around) ?? (typeof from.around === "number" ? String(from.around) : undefined);
  if (around === undefined) throw usage("around is a ref such as #12, a time, or words");
  return {
    around,
    ...given({
      before: countOf("before", from.before, 0),
      after: countOf("after", from.after, 0),
      layer: layerOf(from.layer),
      projects: wordsOf(from.projects ?? from.project),
      session: givenText(from.session),
    }),
  };
}

/** Throws `usage` where no item is named. */
export function readShowRequest(value: unknown): readonly string[] {
  const from = isObject(value) ? value : {};
  const refs = wordsOf(from.refs ?? from.ref);
  if (refs === undefined) throw usage("refs are such as #12, S3 or release-freeze.md");
  return refs.slice(0, MOST);
}
