// Requests to search as they come over the socket or HTTP, checked once: the rest of the module takes typed requests.
import { z } from "zod";
import { readTimeSpan } from "../dates/index.ts";
import { check, defined, givenText, isObject, type JsonObject, observationTypes } from "../lib/index.ts";
import { hitKinds, layers, type SearchRequest } from "./model.ts";
import type { TimelineRequest } from "./timeline.ts";

const MOST = 500;

/** Texts and lists with commas are how query strings and command lines write them; an empty text is none. */
const text = z.preprocess(givenText, z.string().optional());
const layer = z.preprocess(givenText, z.enum(layers).optional());
const flag = z.preprocess(
  (value) => value === true || value === "true" || value === "1" || undefined,
  z.literal(true).optional(),
);

const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => {
    const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value.map(String) : [];
    const words = list.map((word) => word.trim()).filter((word) => word !== "");
    return words.length === 0 ? undefined : words;
  }, z.array(item).optional());

const countFrom = (least: number) =>
  z.preprocess(
    (value) => (value === "" ? undefined : value),
    z.coerce.number().int().min(least).max(MOST).optional(),
  );

/** A day or an ISO time as it is; a time in words by its beginning, or for `to` by its end. */
function momentOf(value: string, end: "from" | "to") {
  const span = /^\d{4}-\d\d-\d\d/.test(value) ? undefined : readTimeSpan(value, Date.now());
  return span ? span[end] : Date.parse(value);
}

const timeAt = (end: "from" | "to") =>
  z.preprocess(
    givenText,
    z
      .string()
      .refine(
        (value) => !Number.isNaN(momentOf(value, end)),
        "is a day, an ISO time, or words such as yesterday, last Friday, 2d",
      )
      .transform((value) => new Date(momentOf(value, end)).toISOString())
      .optional(),
  );

const times = { from: timeAt("from"), to: timeAt("to") };

const filter = { layer, projects: listOf(z.string()), session: text };

const searchRequest = z.object({
  ...filter,
  query: text,
  limit: countFrom(1),
  offset: countFrom(0),
  kinds: listOf(z.enum(hitKinds)),
  types: listOf(z.enum(observationTypes)),
  ...times,
  file: text,
  concept: text,
  client: text,
  explain: flag,
  typed: flag,
});

const timelineRequest = z.object({
  ...filter,
  around: z.preprocess(
    (value) => givenText(value) ?? (typeof value === "number" ? String(value) : undefined),
    z.string("is a ref such as #12, a time, or words").optional(),
  ),
  ...times,
  before: countFrom(0),
  after: countFrom(0),
});

const showRequest = listOf(z.string()).pipe(
  z.array(z.string(), "refs are such as #12, S3 or release-freeze.md"),
);

/** Fields have a second name: `q` for `query`, `agent` for `client`, `since` and `until` for `from` and `to`, and the singular of each list. */
function fieldsOf(value: unknown): JsonObject {
  const { q, agent, kind, type, project, since, until, ...given } = isObject(value) ? value : {};
  const { query, kinds = kind, types = type, projects = project, from = since, to = until } = given;
  const { client = agent } = given;
  return { ...given, query: givenText(query) ?? q, client, kinds, types, projects, from, to };
}

/** Throws `usage`, as do the others. */
export function readSearchRequest(value: unknown): SearchRequest {
  const { query = "", ...rest } = check(searchRequest, fieldsOf(value));
  return { query, ...defined(rest) };
}

export const readTimelineRequest = (value: unknown): TimelineRequest =>
  defined(check(timelineRequest, fieldsOf(value)));

export function readShowRequest(value: unknown): readonly string[] {
  const { refs, ref } = isObject(value) ? value : {};
  return check(showRequest, refs ?? ref).slice(0, MOST);
}
