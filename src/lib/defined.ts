// Leaves out undefined fields of an object and missing items of a list, and checks values with zod where they enter the program.
import { usageError } from "./errors.ts";

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

/** As much of a schema as a check needs: declarations of the package mention no other package. */
interface ParsingSchema<T> {
  safeParse(value: unknown):
    | { success: true; data: T; error?: never }
    | {
        success: false;
        data?: never;
        error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] };
      };
}

/** Throws `usage` with the first issue. */
export function check<T>(schema: ParsingSchema<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { path = [], message = "" } = error.issues[0] ?? {};
  throw usageError(`${path.join(".")}: ${message}`);
}
