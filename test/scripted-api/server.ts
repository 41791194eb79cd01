// A Messages API that answers from a scenario, on loopback or on a socket file, and remembers what it was asked.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type JsonObject, sha256 } from "../../src/lib/index.ts";
import { type CacheTotals, type Enforcement, type EnforcementOptions, enforcement } from "./enforce.ts";
import type { Reply, ToolCall } from "./reply.ts";
import { type ApiRequest, readRequest } from "./request.ts";
import { follow, type Responder, type Scenario } from "./scenario.ts";
import {
  errorBody,
  estimateTokens,
  eventText,
  type NewId,
  type ReplyFacts,
  type ReplyMessage,
  replyMessage,
  streamEvents,
} from "./wire.ts";

interface AnsweredCall extends Required<ToolCall> {
  readonly session: string | undefined;
  readonly agent: string | undefined;
}

export interface RefusedRequest {
  readonly request: ApiRequest;
  readonly message: string;
}

interface BilledRequest {
  readonly request: ApiRequest;
  /** What the answer reported. */
  readonly usage: JsonObject;
}

export interface ScriptedApi {
  /** Where it listens; empty when it listens on a socket file. */
  readonly url: string;
  /** Every request in order of arrival. */
  readonly requests: readonly ApiRequest[];
  /** Every tool call that was sent, with its id. */
  readonly calls: readonly AnsweredCall[];
  /** Every request that was answered with a message, with the usage of the answer. */
  readonly billed: readonly BilledRequest[];
  /** What was refused, with the request; only with `strict` and `enforce`. */
  readonly refusals: readonly RefusedRequest[];
  /** What the cache did for all prompts; only with `enforce`. */
  readonly cache: CacheTotals | undefined;
  /** Continues with another scenario; what was recorded stays. */
  play(scenario: Scenario | Responder): void;
  /** The first recorded request that matches, now or when it comes. */
  seen(matches: (request: ApiRequest) => boolean): Promise<ApiRequest>;
  close(): Promise<void>;
}

export interface ScriptedApiOptions {
  readonly scenario?: Scenario | Responder;
  /** A socket file instead of a port on 127.0.0.1. */
  readonly socket?: string;
  /** Refuse messages that the real API would refuse. */
  readonly strict?: boolean;
  /** Enforce window, bound thinking and betas as well, and report what the prompt cache would have done. */
  readonly enforce?: EnforcementOptions;
}

interface Waiter {
  readonly matches: (request: ApiRequest) => boolean;
  readonly resolve: (request: ApiRequest) => void;
}

export async function startScriptedApi(options: ScriptedApiOptions = {}): Promise<ScriptedApi> {
  let next = follow(options.scenario ?? []);
  const requests: ApiRequest[] = [];
  const calls: AnsweredCall[] = [];
  const billed: BilledRequest[] = [];
  const waiters: Waiter[] = [];
  const refusals: RefusedRequest[] = [];
  const rules = options.enforce && enforcement(options.enforce);
  const newId = idSource();
  const receive = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(message);
    const request = readRequest({
      index: requests.length,
      method: message.method ?? "GET",
      path: message.url ?? "/",
      headers: flatHeaders(message),
      body,
    });
    requests.push(request);
    for (const { matches, resolve } of waiters) if (matches(request)) resolve(request);
    const reply = next(request);
    await reply.before?.(request);
    const refusal = refusalOf(request, options, rules);
    if (refusal !== undefined) {
      refusals.push({ request, message: refusal });
      return json(response, 400, errorBody("invalid_request_error", refusal));
    }
    const isAnswered = request.kind === "message" || request.kind === "compaction";
    const facts =
      rules && isAnswered && !reply.refusal
        ? { usage: rules.usageOf(request), signature: rules.signatureFor(request) }
        : {};
    const sent = answer(response, request, reply, newId, facts);
    if (!sent) return;
    calls.push(...callsOf(sent, request));
    billed.push({ request, usage: sent.usage });
  };
  const server = createServer((message, response) => {
    response.setHeader("request-id", newId("req"));
    // A client may leave at any time, and a scenario may throw: both end this connection and no other.
    receive(message, response).catch(() => response.destroy());
  });
  // A client that pauses for longer than the usual five seconds would otherwise write to a connection that is being closed.
  server.keepAliveTimeout = 0;
  server.listen(options.socket ?? { host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  return {
    url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "",
    requests,
    calls,
    billed,
    refusals,
    cache: rules?.totals,
    play(scenario) {
      next = follow(scenario);
    },
    seen(matches) {
      const known = requests.find(matches);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiters.push({ matches, resolve }));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Ids look like the API's and differ between servers, so that two runs can share one database. */
function idSource(): NewId {
  const salt = randomBytes(8).toString("hex");
  let made = 0;
  return (prefix) => `${prefix}_01${sha256(`${salt}.${made++}`).slice(0, 22)}`;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function flatHeaders(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** Sends the reply; gives the message when one was sent. */
function answer(
  response: ServerResponse,
  request: ApiRequest,
  reply: Reply,
  newId: NewId,
  facts: ReplyFacts,
): ReplyMessage | undefined {
  if (reply.breaks === "before") {
    response.destroy();
    return undefined;
  }
  if (reply.refusal) {
    const { status, type, message, headers = {} } = reply.refusal;
    return json(response, status, errorBody(type, message), headers);
  }
  if (request.kind === "count")
    return json(response, 200, { input_tokens: reply.count ?? estimateTokens(request.bytes) });
  if (request.kind === "models") return json(response, 200, { data: [], has_more: false });
  if (request.kind === "other") return answerOther(response, request);
  const message = replyMessage(reply, request, newId, facts);
  if (request.body.stream === true) sendStream(response, message, reply);
  else json(response, 200, message);
  return message;
}

function answerOther(response: ServerResponse, { method, path }: ApiRequest): undefined {
  // Clients knock at the root to see whether a server is there.
  if (path === "/" || method === "HEAD") return json(response, 200, {});
  return json(response, 404, errorBody("not_found_error", `no such path: ${path}`));
}

/** Why the real API would refuse a request; undefined where nothing is enforced or nothing is wrong. */
function refusalOf(
  request: ApiRequest,
  { strict = false }: ScriptedApiOptions,
  rules: Enforcement | undefined,
) {
  const [first] = strict || rules ? request.violations : [];
  if (first) return `messages.${first.message}: ${first.meaning}`;
  return request.kind === "message" || request.kind === "compaction" ? rules?.refusalOf(request) : undefined;
}

function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): undefined {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function sendStream(response: ServerResponse, message: ReplyMessage, reply: Reply): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const events = streamEvents(message);
  if (reply.breaks === "during") {
    // The bytes must have left before the connection goes, else nothing of the stream arrives.
    response.write(
      events
        .slice(0, Math.ceil(events.length / 2))
        .map(eventText)
        .join(""),
      () => response.destroy(),
    );
    return;
  }
  if (reply.streamError) {
    const { type, message: text } = reply.streamError;
    const failure = { type: "error", error: { type, message: text } };
    response.end([...events.slice(0, -2), failure].map(eventText).join(""));
    return;
  }
  response.end(events.map(eventText).join(""));
}

function callsOf(message: ReplyMessage, { session, agent }: ApiRequest): AnsweredCall[] {
  return message.content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: String(block.id),
            name: String(block.name),
            input: block.input as AnsweredCall["input"],
            session,
            agent,
          },
        ]
      : [],
  );
}
