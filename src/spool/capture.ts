// A payload that an agent hands over, turned into an event that is fit to be written to disk.
import { defined, isObject, isOwnTool, isoTime, type JsonObject } from "../lib/index.ts";
import { quickRedact } from "../redact/quick.ts";
import { type CapturedEvent, type EventKind, type EventLane, eventId, eventKey } from "./event.ts";

/** The events of Claude Code that are captured, by the name that its payloads carry. */
export const capturedHooks = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PostToolUse: "tool",
  PostToolUseFailure: "tool-failure",
  Stop: "stop",
  SubagentStop: "subagent-stop",
  PreCompact: "pre-compact",
  PostCompact: "post-compact",
  SessionEnd: "session-end",
} as const satisfies Readonly<Record<string, EventKind>>;

type CapturedHook = keyof typeof capturedHooks;

interface CaptureContext {
  readonly lane: EventLane;
  /** The version of the program that writes. */
  readonly writer: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds from the start of the hook. */
  readonly took?: number;
}

function isCaptured(name: unknown): name is CapturedHook {
  return typeof name === "string" && Object.hasOwn(capturedHooks, name);
}

const given = <Name extends string>(name: Name, value: unknown): { [name in Name]?: string } =>
  typeof value === "string" && value !== "" ? ({ [name]: value } as { [name in Name]?: string }) : {};

/**
 * The event of a hook's payload: without private text, obvious secrets and text that Throughline injected.
 * Undefined for an event that is not captured and for a payload that names no session.
 */
export function captureEvent(payload: JsonObject, context: CaptureContext): CapturedEvent | undefined {
  const { hook_event_name: name, session_id: session, agent_id: agent } = payload;
  if (!isCaptured(name) || typeof session !== "string" || session === "") return undefined;
  const kind = capturedHooks[name];
  const at = isoTime(context.now);
  const inAgent = given("agent", agent);
  // Answers of our own tools hold nothing new: only the call is kept.
  const { tool_response: _, ...withoutAnswer } = payload;
  return {
    v: 1,
    id: eventId({ session, ...inAgent, kind, key: eventKey(kind, payload, at) }),
    kind,
    at,
    session,
    ...inAgent,
    ...given("cwd", payload.cwd),
    ...given("transcript", payload.transcript_path),
    lane: context.lane,
    writer: context.writer,
    ...defined({ took: context.took }),
    payload: quickRedact(isOwnTool(payload.tool_name) ? withoutAnswer : payload),
  };
}

/** Where Claude Code has put the whole text of a result that it cut short for the payload. */
export function persistedOutput(event: CapturedEvent) {
  const response = event.payload.tool_response;
  if (!isObject(response)) return undefined;
  const { persistedOutputPath: file } = response;
  return typeof file === "string" && file !== "" ? file : undefined;
}
