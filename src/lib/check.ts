// Checks a value with a zod schema where it enters the program.
import type { z } from "zod";
import { ThroughlineError } from "./errors.ts";

/** Throws `usage` with the first issue. */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const { path = [], message = "" } = error.issues[0] ?? {};
  throw new ThroughlineError("usage", `${path.join(".")}: ${message}`);
}
