// The gateway: takes events of any agent into the spool, once each, and answers what a session or a prompt should be told.
import { type Home, type IsExcluded, spoolFolder } from "../home/index.ts";
import { contextOf, type HookAnswer } from "../inject/index.ts";
import type { SaidMessage } from "../intake/index.ts";
import {
  type Clock,
  check,
  defined,
  isObject,
  type JsonObject,
  ThroughlineError,
  timeOrderedId,
} from "../lib/index.ts";
import { type CapturedEvent, captureEvent, eventId, spoolBacklog, writeEventAsync } from "../spool/index.ts";
import { contextRequest, type GatewayEvent, gatewayEvent, ingestRequest } from "./schema.ts";

interface GatewayParts {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  /** Throws while it is not known what is excluded. */
  readonly isExcluded: IsExcluded;
  readonly isPaused: () => boolean;
  /** Answers an event as a hook would be answered. */
  readonly answer: (event: CapturedEvent, project: string) => Promise<HookAnswer>;
  /** Stores what was said, once. */
  readonly keepMessages: (session: string, messages: readonly SaidMessage[]) => Promise<unknown>;
  /** Events that may wait in the spool before more are refused. */
  readonly mostWaiting?: number;
}

export interface Gateway {
  /** Takes what came over a wire. Throws `usage` for an event that is not valid, and then keeps none; `busy` to be asked again later. */
  ingest(body: unknown): Promise<{ readonly accepted: number; readonly left: number }>;
  context(body: unknown): Promise<{ readonly text: string }>;
}

/** As many as a worker drains in a few seconds. */
const MOST_WAITING = 10_000;

/** Sessions of different agents never meet, whatever their ids are. */
const sessionOf = ({ agent, session }: Pick<GatewayEvent, "agent" | "session">) => `${agent}:${session}`;

type Spooled = Exclude<GatewayEvent, { readonly type: "message" }>;

/** What a hook of Claude Code would have handed over. */
function hookFields(event: Spooled): JsonObject {
  switch (event.type) {
    case "session-start":
      return { hook_event_name: "SessionStart", source: event.source };
    case "prompt":
      return { hook_event_name: "UserPromptSubmit", prompt: event.text };
    case "tool": {
      const call = { tool_name: event.name, tool_input: event.input, tool_use_id: event.id };
      return event.error === undefined
        ? { hook_event_name: "PostToolUse", ...call, tool_response: event.output ?? null }
        : { hook_event_name: "PostToolUseFailure", ...call, error: event.error };
    }
    case "turn-end":
      return { hook_event_name: "Stop", last_assistant_message: event.text };
    case "compaction":
      return {
        hook_event_name: "PostCompact",
        trigger: event.trigger,
        ...defined({ compact_summary: event.summary }),
      };
    case "session-end":
      return { hook_event_name: "SessionEnd", reason: event.reason };
  }
}

function capturedEvent({ version, clock }: GatewayParts, event: Spooled) {
  const session = sessionOf(event);
  const payload = {
    ...hookFields(event),
    session_id: session,
    cwd: event.cwd,
    agent_client: event.agent,
    ...defined({ model: event.model }),
  };
  const now = event.at === undefined ? clock.now() : Date.parse(event.at);
  const captured = captureEvent(payload, { lane: "gateway", writer: version, now });
  if (captured === undefined) throw new ThroughlineError("internal", `no event of type ${event.type}`);
  // By the sender's id alone: the same event has the same id whenever it is sent.
  return { ...captured, id: eventId({ session, kind: captured.kind, key: `gateway/${event.id}` }) };
}

/** Throws `usage` with the number of the event that is wrong, and its field. */
function readEvents(body: unknown): GatewayEvent[] {
  const { events } = check(ingestRequest, body);
  return events.map((event, index) => {
    const { success, data, error } = gatewayEvent.safeParse(event);
    if (success) return data;
    const { path, message } = error.issues[0] ?? { path: [], message: "is not an event" };
    const id = isObject(event) && typeof event.id === "string" ? ` (${event.id})` : "";
    const field = path.length === 0 ? "" : `.${path.join(".")}`;
    throw new ThroughlineError(
      "usage",
      `events.${index}${field}${id}: ${message}`,
      "docs/gateway.md lists the fields of every type; none of these events was stored",
    );
  });
}

const saidMessage = (
  event: Extract<GatewayEvent, { readonly type: "message" }>,
  now: number,
): SaidMessage => ({
  uuid: event.id,
  role: event.role,
  text: event.text,
  at: event.at === undefined ? now : Date.parse(event.at),
  cwd: event.cwd,
});

export function makeGateway(parts: GatewayParts): Gateway {
  const { home, clock, isExcluded, isPaused, mostWaiting = MOST_WAITING } = parts;
  const spool = spoolFolder(home);
  const refuseWhenFull = () => {
    const { waiting } = spoolBacklog(spool);
    if (waiting < mostWaiting) return;
    throw new ThroughlineError(
      "busy",
      `${waiting} events wait to be stored`,
      "send the same events again in a few seconds; an event that is sent twice is stored once",
    );
  };
  return {
    async ingest(body) {
      const events = readEvents(body);
      refuseWhenFull();
      const kept = isPaused() ? [] : events.filter(({ cwd }) => !isExcluded(cwd));
      for (const event of kept) {
        if (event.type === "message")
          await parts.keepMessages(sessionOf(event), [saidMessage(event, clock.now())]);
        else await writeEventAsync(spool, capturedEvent(parts, event));
      }
      return { accepted: kept.length, left: events.length - kept.length };
    },
    async context(body) {
      const { agent, session, cwd, source, prompt } = check(contextRequest, body);
      const now = clock.now();
      const asked = { agent, session, cwd, id: timeOrderedId("q", now) };
      const event: Spooled =
        prompt === undefined
          ? { type: "session-start", ...asked, source }
          : { type: "prompt", ...asked, text: prompt };
      return { text: contextOf(await parts.answer(capturedEvent(parts, event), cwd)) };
    },
  };
}
