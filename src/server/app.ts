// Routes of the team's server. Each request names its key; what it may see and write is decided by the database, with that key's team and person.
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import {
  type Clock,
  check,
  errorText,
  isObject,
  ownVersion,
  parseJson,
  ThroughlineError,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { redactValue, timeLimit } from "../redact/index.ts";
import { find, readSearchRequest } from "../search/index.ts";
import type { ChangeFrom } from "../store/index.ts";
import type { AccessKey, AccessScope, TeamDatabase, TeamStore } from "../store/team.ts";
import { makeRateLimit } from "./rateLimit.ts";
import {
  keepMemoriesRequest,
  MOST_FILES,
  memoriesRequest,
  pullRequest,
  pushRequest,
  readersRequest,
  shareRequest,
  type WhoAnswer,
} from "./wire.ts";

interface ServerAppParts {
  readonly database: TeamDatabase;
  readonly clock: Clock;
  readonly log: Logger;
  /** Requests of one key a minute. */
  readonly requestsPerMinute: number;
  /** The address that a request came from. */
  readonly addressOf: (c: Context) => string;
}

interface Caller {
  readonly key: AccessKey;
  readonly projects: readonly string[];
  readonly store: TeamStore;
  /** Writes a line of the audit log. */
  readonly record: (action: string, detail: string) => Promise<void>;
}

const MOST_BODY_BYTES = 64 * 1024 * 1024;
/** Of processor time, for all changes of one request. */
const REDACTION_MS = 20_000;
/** Keys that do not hold, from one address. */
const refusedLimit = { burst: 20, perMinute: 20 };

const statuses: Partial<Record<string, 400 | 403 | 404 | 503>> = {
  usage: 400,
  "not-found": 404,
  "database-failed": 503,
  "database-busy": 503,
};

type Status = 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503;

const problem = (c: Context, status: Status, code: string, message: string, fix?: string) =>
  c.json({ error: { code, message, ...(fix === undefined ? {} : { fix }) } }, status);

const refusal = (status: Status, message: string, headers: Readonly<Record<string, string>> = {}) =>
  new HTTPException(status, {
    res: Response.json({ error: { code: "access-refused", message } }, { status, headers: { ...headers } }),
  });

async function readBody<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BODY_BYTES) throw refusal(413, `A body may have ${MOST_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const value = parseJson(Buffer.concat(chunks).toString("utf8"));
  if (!isObject(value)) throw new ThroughlineError("usage", "the body is not a JSON object");
  return check(schema, value);
}

function makeAuthentication({ database, clock, requestsPerMinute, addressOf }: ServerAppParts) {
  const requests = makeRateLimit(clock, { burst: requestsPerMinute, perMinute: requestsPerMinute });
  const refused = makeRateLimit(clock, refusedLimit);
  const tooMany = (seconds: number) =>
    refusal(429, `Too many requests; try again in ${seconds} s.`, { "Retry-After": `${seconds}` });
  return async (c: Context, scope: AccessScope | undefined): Promise<Caller> => {
    const secret = /^Bearer +(\S{1,200})$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    const found = secret === undefined ? undefined : await database.access.keyOf(secret);
    if (found === undefined) {
      const wait = refused.take(addressOf(c));
      if (wait !== undefined) throw tooMany(wait);
      throw refusal(401, "The request has no key that holds.", { "WWW-Authenticate": "Bearer" });
    }
    const { key, space } = found;
    const wait = requests.take(key.id);
    if (wait !== undefined) throw tooMany(wait);
    const { team, person } = key;
    const record = (action: string, detail: string) =>
      database.access.record(team, { person, key: key.id, action, detail });
    if (scope !== undefined && !key.scopes.includes(scope)) {
      await record("refused", scope);
      throw refusal(403, `This key may not ${scope}; it may ${key.scopes.join(", ")}.`);
    }
    return { key, projects: space.projects ?? [], store: database.store(space), record };
  };
}

/** What a machine sends has been redacted there; it is redacted again, by the rules of this version. A machine speaks for its own person alone. */
function cleaned(changes: readonly ChangeFrom[]): ChangeFrom[] {
  const limit = timeLimit(REDACTION_MS);
  return changes.map((change) => {
    const { origin: _, ...own } = redactValue(change, limit).value;
    return own as ChangeFrom;
  });
}

async function push(c: Context, { store, record }: Caller) {
  const { machine, changes } = await readBody(c, pushRequest);
  const received = await store.receive({ machine, changes: cleaned(changes as ChangeFrom[]) });
  if (changes.length > 0) await record("push", `${machine} ${changes.length}`);
  return received;
}

async function pull(c: Context, { store, record }: Caller) {
  const { machine, cursor, limit } = check(pullRequest, c.req.query());
  const page = await store.changes({ cursor, limit, except: { machine } });
  if (page.changes.length > 0) await record("pull", `${machine} ${page.changes.length}`);
  return { ...page, head: await store.feedHead() };
}

async function changedMemories(c: Context, { store, record }: Caller) {
  const { project, known } = await readBody(c, memoriesRequest);
  const memories = await store.changedMemories({ project, known, limit: MOST_FILES });
  if (memories.length > 0) await record("memories", `${project} ${memories.length}`);
  return { memories };
}

async function keepMemories(c: Context, { store, record }: Caller) {
  const { project, changes } = redactValue(await readBody(c, keepMemoriesRequest)).value;
  const memories = await store.keepMemories({ project, changes });
  if (memories.length > 0) await record("keep-memories", `${project} ${memories.length}`);
  return { memories };
}

async function readers(c: Context, { key }: Caller, { database }: ServerAppParts) {
  const { visibility, project } = check(readersRequest, c.req.query());
  const people = await database.access.readers(key.team, visibility, project ?? "");
  return { readers: people.filter((person) => person !== key.person) };
}

async function searchHits(c: Context, { store, record }: Caller) {
  const answer = await find({ store }, readSearchRequest(c.req.query()));
  await record("search", `${answer.hits.length}`);
  return answer;
}

const who = ({ key: { team, person, scopes, expiresAt }, projects }: Caller): WhoAnswer => ({
  ...{ team, person, scopes: [...scopes], projects: [...projects], expiresAt, version: ownVersion },
});

function answerError(c: Context, error: unknown, log: Logger) {
  if (error instanceof HTTPException) return error.getResponse();
  if (error instanceof ThroughlineError) {
    if (error.code === "access-refused") return problem(c, 401, error.code, error.message, error.fix);
    const status = statuses[error.code] ?? 500;
    if (status >= 500) log.error({ problem: error.message }, "server.request-failed");
    // What PostgreSQL said may name other tables and rows; it is in the log.
    if (status < 500) return problem(c, status, error.code, error.message, error.fix);
    return problem(c, status, error.code, "The server cannot do that now; its log says why.");
  }
  log.error({ problem: errorText(error) }, "server.request-failed");
  return problem(c, 500, "internal", "The server could not answer; its log says why.");
}

export function makeServerApp(parts: ServerAppParts): Hono {
  const enter = makeAuthentication(parts);
  const app = new Hono();
  const route = (
    method: "GET" | "POST",
    path: string,
    scope: AccessScope | undefined,
    work: (c: Context, caller: Caller) => unknown,
  ) =>
    app.on(method, path, async (c) => {
      const caller = await enter(c, scope);
      return c.json((await work(c, caller)) as object);
    });
  app.get("/health", (c) => c.json({ status: "ok" }));
  route("GET", "/sync/v1/who", undefined, (_, caller) => who(caller));
  route("POST", "/sync/v1/push", "write", push);
  route("GET", "/sync/v1/pull", "read", pull);
  route("GET", "/sync/v1/readers", "share", (c, caller) => readers(c, caller, parts));
  route("POST", "/sync/v1/share", "share", async (c, { store, record }) => {
    const asked = await readBody(c, shareRequest);
    const { kind, uids, visibility } = asked;
    const changed = await store.share(kind, uids, visibility, (row) => redactValue(row).value);
    await record("share", `${visibility} ${kind} ${uids.join(" ")}`);
    return { changed };
  });
  route("POST", "/sync/v1/memories", "read", changedMemories);
  route("POST", "/sync/v1/memories/keep", "write", keepMemories);
  route("GET", "/v1/search", "read", searchHits);
  app.notFound((c) => problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`));
  app.onError((error, c) => answerError(c, error, parts.log));
  return app;
}
