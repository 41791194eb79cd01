// Which work an event asks for.
import { isOwnTool, MINUTE, SECOND } from "../lib/index.ts";
import type { RedactedEvent } from "./eventModel.ts";
import type { NewJob } from "./model.ts";

const jobKinds: Readonly<Record<string, string>> = {
  tool: "observe",
  "tool-failure": "observe",
  stop: "summarize",
  "subagent-stop": "summarize",
};

/**
 * What a call meant is seen from what followed it, so its observation waits for the end of its turn: whoever works on
 * that takes the calls along. Those of a turn that never ends wait this long. The end itself waits for late hooks.
 */
const waits: Readonly<Record<string, number>> = { observe: MINUTE, summarize: 3 * SECOND };

/** A tool call is to be observed, the end of a turn to be summarised; the job's key is the event's id. */
export function workFor(event: RedactedEvent): NewJob | undefined {
  const kind = jobKinds[event.kind];
  // Looking something up in the memory is nothing to remember.
  if (kind === undefined || isOwnTool(event.payload.tool_name)) return undefined;
  const at = Date.parse(event.at);
  const notBefore = Number.isNaN(at) ? 0 : at + (waits[kind] ?? 0);
  return { kind, key: event.id, session: event.session, project: event.project, notBefore };
}
