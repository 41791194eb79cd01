// Requests to the error book as they come over the socket or HTTP, and the answer, whose form the caller checks.
import { z } from "zod";
import { check, defined, givenText, isObject } from "../lib/index.ts";
import type { KnowledgeStore, Observation, Store } from "../store/index.ts";
import { type ErrorEntry, type ErrorRequest, errorBook } from "./book.ts";
import { failureClasses } from "./failure.ts";

const MOST = 500;
const PAGE = 20;

const text = z.preprocess(givenText, z.string().optional());
const time = z.preprocess(
  givenText,
  z
    .string()
    .refine((value) => !Number.isNaN(Date.parse(value)), "is a day or an ISO time")
    .transform((value) => new Date(value).toISOString())
    .optional(),
);
const count = z.preprocess(
  (value) => (value === "" ? undefined : value),
  z.coerce.number().int().min(0).max(MOST).optional(),
);
const states = ["fixed", "passed", "open"] as const;

const errorRequest = z.object({
  query: text,
  project: text,
  session: text,
  from: time,
  to: time,
  file: text,
  class: z.preprocess(givenText, z.enum(failureClasses).optional()),
  state: z.preprocess(givenText, z.enum(states).optional()),
  limit: count,
  offset: count,
});

const texts = z.array(z.string()).readonly();

export const errorsSchema = z.object({
  items: z
    .array(
      z.object({
        class: z.enum(failureClasses),
        signature: z.string(),
        subject: z.string().optional(),
        message: z.string(),
        command: z.string(),
        project: z.string(),
        seen: z.number(),
        runs: z.number(),
        sessions: texts,
        firstAt: z.string(),
        lastAt: z.string(),
        state: z.enum(states),
        fixed: z.number(),
        fix: z
          .object({
            session: z.string(),
            at: z.string(),
            files: texts,
            commands: texts,
            changes: texts,
            commit: z.string().optional(),
            promptNumber: z.number(),
            row: z.string(),
          })
          .optional(),
        row: z.string(),
        /** Observations of the turn in which it was fixed, for `show`. */
        refs: texts,
      }),
    )
    .readonly(),
  /** How many there are in all. */
  total: z.number(),
  more: z.boolean(),
});

export type Errors = Readonly<z.output<typeof errorsSchema>>;

/** The observations of the turn that ended each entry's newest fix. */
async function withRefs(store: Pick<KnowledgeStore, "observations">, entries: readonly ErrorEntry[]) {
  const known = new Map<string, readonly Observation[]>();
  return Promise.all(
    entries.map(async (entry) => {
      const { session, promptNumber } = entry.fix ?? {};
      if (session === undefined) return { ...entry, refs: [] };
      const rows = known.get(session) ?? (await store.observations({ session, limit: MOST })).items;
      known.set(session, rows);
      return {
        ...entry,
        refs: rows.filter((row) => row.promptNumber === promptNumber).map(({ id }) => `#${id}`),
      };
    }),
  );
}

/** Throws `usage` for an invalid request. */
export async function findErrors(
  store: Pick<Store, "events" | "observations">,
  request: unknown,
): Promise<Errors> {
  const {
    class: one,
    limit = PAGE,
    offset = 0,
    ...asked
  } = check(errorRequest, isObject(request) ? request : {});
  const wanted: ErrorRequest = { ...defined(asked), ...(one !== undefined && { classes: [one] }) };
  const found = await errorBook(store, wanted);
  const page = found.slice(offset, offset + limit);
  return {
    items: await withRefs(store, page),
    total: found.length,
    more: found.length > offset + limit,
  };
}
