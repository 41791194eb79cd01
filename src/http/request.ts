// Reads requests: query and body are checked by zod once, and a request that cannot be answered becomes a problem.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { check, defined, isObject, observationTypes, parseJson, usageError } from "../lib/index.ts";
import { bodyLimit } from "./guard.ts";
import type { Route } from "./routes/table.ts";

/** What it returns is sent as JSON unless it is a `Response`. */
export type Handler = (c: Context) => unknown;

export type Handlers = Readonly<Record<Route, Handler>>;

type Status = 400 | 401 | 404 | 409 | 413 | 429 | 500 | 501 | 503;

export function problem(c: Context, status: Status, code: string, message: string, fix?: string): Response {
  return c.json({ error: { code, message, fix } }, status);
}

export const usage = (message: string) => usageError(message);

export const notFound = (c: Context): Response =>
  problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`);

const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "is an ISO time")
  .transform((text) => new Date(text).toISOString());

export const scopeQuery = z
  .object({ project: z.string(), session: z.string(), from: time, to: time })
  .partial();

export const pageQuery = scopeQuery.extend({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  order: z.enum(["newest", "oldest"]).optional(),
});

export const observationQuery = pageQuery.extend({ type: z.enum(observationTypes).optional() });

export const readQuery = <S extends z.ZodObject>(c: Context, schema: S) =>
  defined(check(schema, c.req.query()));

/** A parameter that must be there. */
export function namedIn(c: Context, name: string) {
  const value = c.req.query(name);
  if (value === undefined || value === "") throw usage(`${name} is missing`);
  return value;
}

/** The bytes of the body; one that names no length is counted while it comes. Throws the answer to one that is too large. */
export async function* bodyOf(c: Context): AsyncGenerator<Uint8Array> {
  const limit = bodyLimit(c.req.path);
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit)
      throw new HTTPException(413, {
        res: problem(c, 413, "body-too-large", `A body may have ${bodyLimit(c.req.path)} bytes.`),
      });
    yield chunk;
  }
}

/** Throws `usage` for a body that is no JSON object, or not what the schema wants. */
export async function readBody<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bodyOf(c)) text += decoder.decode(chunk, { stream: true });
  const value = parseJson(text + decoder.decode());
  if (!isObject(value)) throw usage("the body is not a JSON object");
  return check(schema, value);
}
