// What a request asks for: its page, its filters, its body; and the answer to one that cannot be understood.
import type { Context } from "hono";
import { isObject, type JsonObject, parseJson, ThroughlineError } from "../lib/index.ts";
import { type ObservationType, observationTypes, type PageRequest } from "../store/index.ts";
import { bodyLimit } from "./guard.ts";
import type { Route } from "./routes/table.ts";

export type Handler = (c: Context) => Response | Promise<Response>;

/** The answers of some routes; together they are all of them. */
export type Handlers<R extends Route = Route> = Readonly<Record<R, Handler>>;

type Status = 400 | 401 | 404 | 409 | 413 | 429 | 500 | 501 | 503;

export function problem(c: Context, status: Status, code: string, message: string, fix?: string): Response {
  return c.json({ error: { code, message, fix } }, status);
}

export function usage(message: string): ThroughlineError {
  return new ThroughlineError("usage", message);
}

/** A parameter that must be there. */
export function namedIn(c: Context, name: string): string {
  const value = c.req.query(name);
  if (value === undefined || value === "") throw usage(`${name} is missing`);
  return value;
}

export function pageRequest(c: Context): PageRequest {
  const { project, session, from, to, cursor, limit, order } = c.req.query();
  const wanted = limit === undefined ? undefined : Number(limit);
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 1 && wanted <= 500)) {
    throw usage("limit is a whole number from 1 to 500");
  }
  if (order !== undefined && order !== "newest" && order !== "oldest")
    throw usage("order is newest or oldest");
  for (const [name, time] of Object.entries({ from, to })) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw usage(`${name} is an ISO time`);
  }
  return {
    ...(project === undefined ? {} : { project }),
    ...(session === undefined ? {} : { session }),
    ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(wanted === undefined ? {} : { limit: wanted }),
    ...(order === undefined ? {} : { order }),
  };
}

export function observationType(c: Context): { readonly type?: ObservationType } {
  const given = c.req.query("type");
  if (given === undefined) return {};
  const type = observationTypes.find((known) => known === given);
  if (type === undefined) throw usage(`type is one of ${observationTypes.join(", ")}`);
  return { type };
}

/** The body as far as it may go: one that names no length is counted while it comes. */
async function bodyOf(c: Context): Promise<string | "too-large"> {
  const decoder = new TextDecoder();
  const limit = bodyLimit(c.req.path);
  let text = "";
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit) return "too-large";
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The body as an object, or the answer to one that is none. */
export async function objectOf(c: Context, what: string): Promise<JsonObject | Response> {
  const body = await bodyOf(c);
  if (body === "too-large")
    return problem(c, 413, "body-too-large", `A body may have ${bodyLimit(c.req.path)} bytes.`);
  const value = parseJson(body);
  if (!isObject(value)) throw usage(`the body is one JSON object: ${what}`);
  return value;
}

/** Texts that the body must have, or the answer to one that is no object. Throws `usage` for what is missing. */
export async function textsOf<Name extends string>(
  c: Context,
  ...names: readonly Name[]
): Promise<Readonly<Record<Name, string>> | Response> {
  const body = await objectOf(c, names.join(", "));
  if (body instanceof Response) return body;
  const texts = names.map((name) => {
    const value = body[name];
    if (typeof value !== "string") throw usage(`${name} is a text`);
    return [name, value] as const;
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}
