// Events that the mod reports, as the command hooks would have written them: the same payload, the same id, the same spool.

import { type Home, type IsExcluded, spoolFolder } from "../home/index.ts";
import { contextOf, type HookAnswer } from "../inject/index.ts";
import {
  type Clock,
  defined,
  givenText,
  isObject,
  type JsonObject,
  MINUTE,
  timeOrderedId,
} from "../lib/index.ts";
import { type CapturedEvent, captureEvent, writeEventAsync } from "../spool/index.ts";
import type { ModsSavings } from "./account.ts";
import type { Asker, EventAnswer, ModsOp } from "./protocol.ts";

export interface CaptureParts {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  readonly isExcluded: IsExcluded;
  /** Answers an event as a hook would be answered. */
  readonly answer: (event: CapturedEvent, project: string) => Promise<HookAnswer>;
  readonly savings: ModsSavings;
}

/** An answer as the mod hands it on. A compacted window that gets its index back is not given another. */
function eventAnswer(answer: HookAnswer, hasIndex = false): EventAnswer {
  const context = hasIndex ? answer.context : contextOf(answer);
  return defined({ context: context || undefined, message: answer.systemMessage });
}

/** A clock that is further off is not believed. */
const BELIEVED_MS = MINUTE;

/** When the event happened: the mod does not wait for an answer, and a busy worker reads it late. */
function timeOf(told: unknown, now: number) {
  return typeof told === "number" && Math.abs(now - told) <= BELIEVED_MS ? told : now;
}

/** Writes an event into the spool; undefined for a kind that is not captured, and in an excluded folder. */
export async function spoolEvent(
  parts: CaptureParts,
  asker: Asker,
  payload: JsonObject,
  at?: unknown,
): Promise<CapturedEvent | undefined> {
  const { home, version, clock, savings } = parts;
  const { project, pid } = asker;
  const also = defined({ agent_pid: pid, project_dir: project === payload.cwd ? undefined : project });
  const now = timeOf(at, clock.now());
  const event = captureEvent({ ...payload, ...also }, { lane: "mods", writer: version, now });
  if (!event || parts.isExcluded(event.cwd, project)) return undefined;
  // Into the spool and not straight into the database: what is written there survives this process.
  await writeEventAsync(spoolFolder(home), event);
  savings.event();
  return event;
}

const answeredKinds: readonly string[] = ["session-start", "prompt"];

/** Stores an event and answers it, unless the prompt that it reports was answered before. */
export function captureOp(parts: CaptureParts): ModsOp {
  return async (asker, body) => {
    const event = isObject(body.payload) ? await spoolEvent(parts, asker, body.payload, body.at) : undefined;
    if (!event) return undefined;
    if (body.isAnswered === true || !answeredKinds.includes(event.kind)) return { event: event.id };
    const hasIndex = body.hasBlock === true && event.payload.source === "compact";
    return { event: event.id, ...eventAnswer(await parts.answer(event, asker.project), hasIndex) };
  };
}

/** Answers a prompt before it enters; the prompt comes as an event a moment later. */
export function promptOp({ version, clock, answer }: CaptureParts): ModsOp {
  return async ({ session, project }, body) => {
    const now = clock.now();
    const payload = {
      hook_event_name: "UserPromptSubmit",
      session_id: session,
      cwd: project,
      // The same prompt is answered each time.
      prompt_id: timeOrderedId("q", now),
      prompt: givenText(body.text) ?? "",
    };
    const event = captureEvent(payload, { lane: "mods", writer: version, now });
    return event && eventAnswer(await answer(event, project));
  };
}
