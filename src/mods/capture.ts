// Events that the mod reports, as the command hooks would have written them: the same payload, the same id, the same spool.

import { type Home, type IsExcluded, spoolFolder } from "../home/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import {
  type Clock,
  givenText,
  isObject,
  type JsonObject,
  MINUTE,
  ownContextMark,
  parseJson,
  timeOrderedId,
} from "../lib/index.ts";
import { type CapturedEvent, captureEvent, writeEventBeside } from "../spool/index.ts";
import type { Savings } from "./account.ts";
import type { Asker, ModsOp } from "./model.ts";

export interface CaptureParts {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  readonly isExcluded: IsExcluded;
  readonly answer: (event: CapturedEvent, project: string) => Promise<HookAnswer>;
  readonly savings: Savings;
}

/** What a hook would have printed, in the parts that a mod hands on. */
function toldBy({ stdout = "" }: HookAnswer): { readonly context?: string; readonly message?: string } {
  const said = parseJson(stdout);
  if (!isObject(said)) return stdout.trim() === "" ? {} : { context: stdout };
  const context = isObject(said.hookSpecificOutput)
    ? givenText(said.hookSpecificOutput.additionalContext)
    : undefined;
  const message = givenText(said.systemMessage);
  return { ...(context === undefined ? {} : { context }), ...(message === undefined ? {} : { message }) };
}

/** A clock that is further off is not believed. */
const BELIEVED_MS = MINUTE;

/** When it happened: the mod does not wait for us, and a busy worker reads late what it was told in time. */
function timeOf(told: unknown, now: number): number {
  return typeof told === "number" && Math.abs(now - told) <= BELIEVED_MS ? told : now;
}

/** Writes an event down; undefined when it is of no kind that is captured, or happened where nothing may be. */
export async function takeEvent(
  parts: CaptureParts,
  asker: Asker,
  payload: JsonObject,
  at?: unknown,
): Promise<CapturedEvent | undefined> {
  const { home, version, clock, savings } = parts;
  const { project, pid } = asker;
  const also = {
    ...(pid === undefined ? {} : { agent_pid: pid }),
    ...(project === payload.cwd ? {} : { project_dir: project }),
  };
  const event = captureEvent(
    { ...payload, ...also },
    {
      lane: "mods",
      writer: version,
      now: timeOf(at, clock.now()),
    },
  );
  if (event === undefined || parts.isExcluded(event.cwd, project)) return undefined;
  // Into the spool and not straight into the database: what is written there survives this process.
  await writeEventBeside(spoolFolder(home), event);
  savings.event();
  return event;
}

/** A compacted window that gets its block back need not be told the same once more. */
function withoutMemory(context: string): string {
  return (context.split(`<${ownContextMark.name} kind="memory"`)[0] ?? "").trimEnd();
}

const answered: readonly string[] = ["session-start", "prompt"];

/**
 * Asked with `{ payload, at, hasBlock, isAnswered }`; answers with what the model, and the person, are to be told.
 * `isAnswered`: what is to be told was asked for before.
 */
export function captureOp(parts: CaptureParts): ModsOp {
  return async (asker, body) => {
    const event = isObject(body.payload) ? await takeEvent(parts, asker, body.payload, body.at) : undefined;
    if (event === undefined) return undefined;
    if (body.isAnswered === true || !answered.includes(event.kind)) return { event: event.id };
    const { context, ...told } = toldBy(await parts.answer(event, asker.project));
    const known = body.hasBlock === true && event.payload.source === "compact";
    const said = context !== undefined && known ? withoutMemory(context) : context;
    return { event: event.id, ...told, ...(said ? { context: said } : {}) };
  };
}

/** Asked with `{ text }` before a prompt enters; answers with what it needs. It comes as an event itself, a moment later. */
export function promptOp({ version, clock, answer }: CaptureParts): ModsOp {
  return async ({ session, project }, body) => {
    const now = clock.now();
    const payload = {
      hook_event_name: "UserPromptSubmit",
      session_id: session,
      cwd: project,
      // Who says the same again is answered again.
      prompt_id: timeOrderedId("q", now),
      prompt: givenText(body.text) ?? "",
    };
    const event = captureEvent(payload, { lane: "mods", writer: version, now });
    return event === undefined ? undefined : toldBy(await answer(event, project));
  };
}
