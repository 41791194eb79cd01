// Leaves out undefined fields of an object and missing items of a list, and checks values with zod where they enter the program.
import type { z } from "zod";
import { ThroughlineError } from "./errors.ts";

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as unknown as Defined<T>;
}

/** The items that are there: `condition && item` leaves one out. */
export function present<T>(items: readonly (T | false | undefined)[]): T[] {
  return items.filter((item): item is T => item !== undefined && item !== false);
}

/** Throws `usage` with the first issue. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { path = [], message = "" } = error.issues[0] ?? {};
  throw new ThroughlineError("usage", `${path.join(".")}: ${message}`);
}
