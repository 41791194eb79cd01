// Puts a context between the official client and the API, as a middleware: create, stream and the tool runner pass it.
import { errorText, isObject, type JsonObject, parseJson, usageError } from "../../lib/index.ts";
import { MessageAssembler } from "../../models/index.ts";
import type { ContextEngine } from "./engine.ts";
import type { MessagesClient, PreparedRequest, RequestLike } from "./types.ts";

/** The part of the client's middleware interface that is used here. */
interface ApiRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}
type Next = (request: ApiRequest) => Promise<Response>;
interface CallContext {
  /** The call as the client was given it: its messages are the caller's own objects. */
  readonly options?: { readonly path?: string; readonly body?: unknown };
  parse(response: Response): Promise<unknown>;
}

/** A copy of the client whose requests pass the context. The client itself stays as it is. */
export function throughContext<Client extends MessagesClient>(client: Client, engine: ContextEngine): Client {
  if (!Array.isArray(client.middleware) || typeof client.withOptions !== "function")
    throw usageError(
      "this client takes no middleware",
      "npm install @anthropic-ai/sdk@latest (1.8 or later), or use prepare and observe",
    );
  let observing: Promise<void> = Promise.resolve();
  const middleware = async (request: ApiRequest, next: Next, call: CallContext) => {
    const body = messagesBody(request, call);
    if (!body) return next(request);
    await observing;
    const response = await sendPrepared(engine, request, body, next);
    if (response.ok) observing = observeResponse(engine, response, call);
    // A response in one piece is known before the caller gets it; a stream is followed beside the caller.
    if (body.stream !== true) await observing;
    return response;
  };
  return client.withOptions({ middleware: [...client.middleware, middleware] }) as Client;
}

type RequestBody = RequestLike & JsonObject;

/** The body of a request for the next message; undefined for every other request. */
function messagesBody(request: ApiRequest, { options }: CallContext) {
  const { pathname } = new URL(request.url);
  if (!pathname.endsWith("/v1/messages") || request.method?.toUpperCase() !== "POST") return undefined;
  const body = isObject(options?.body) ? options.body : parseJson(String(request.body ?? ""));
  return isObject(body) && Array.isArray(body.messages) && typeof body.model === "string"
    ? (body as RequestBody)
    : undefined;
}

async function sendPrepared(engine: ContextEngine, request: ApiRequest, body: RequestBody, next: Next) {
  const options = { signal: request.signal ?? undefined, betas: betasIn(request.headers) };
  const send = (prepared: PreparedRequest<RequestBody>) => next(withPrepared(request, prepared));
  let response = await send(await engine.prepare(body, options));
  for (let attempt = 0; isRefused(response); attempt++) {
    const error = { status: response.status, error: await response.clone().text() };
    const smaller = await engine.recover(body, error, attempt, options);
    if (!smaller) break;
    await response.body?.cancel();
    response = await send(smaller);
  }
  return response;
}

/** The statuses with which a prompt can be too long. */
const isRefused = ({ status }: Response) => status === 400 || status === 413;

function withPrepared(
  request: ApiRequest,
  { request: body, betas }: PreparedRequest<RequestBody>,
): ApiRequest {
  const headers = new Headers(request.headers);
  const all = [...new Set([...betasIn(headers), ...betas])];
  if (all.length > 0) headers.set("anthropic-beta", all.join(","));
  return { ...request, headers, body: JSON.stringify(body) };
}

const betasIn = (headers: Headers) =>
  (headers.get("anthropic-beta") ?? "")
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "");

/** Never rejects: an answer that cannot be read changes nothing for the caller. */
async function observeResponse(engine: ContextEngine, response: Response, call: CallContext) {
  try {
    const parsed = await call.parse(response);
    const message = isEvents(parsed) ? await assembled(parsed) : parsed;
    if (!isObject(message) || !Array.isArray(message.content) || !isObject(message.usage)) return;
    const { content, usage, context_management: management } = message;
    engine.observe({ content, usage, ...(isObject(management) && { context_management: management }) });
  } catch (error) {
    engine.warn({ code: "response", message: errorText(error) });
  }
}

const isEvents = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;

/** Undefined for a stream that was left or broke: its answer is in no history. */
async function assembled(events: AsyncIterable<unknown>) {
  const assembler = new MessageAssembler();
  for await (const event of events) assembler.add(event);
  return assembler.message();
}
