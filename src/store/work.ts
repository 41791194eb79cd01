// Which work an event asks for.
import type { NewJob, RedactedEvent } from "./model.ts";

const jobKinds: Readonly<Record<string, string>> = {
  tool: "observe",
  "tool-failure": "observe",
  stop: "summarize",
  "subagent-stop": "summarize",
};

/** A tool call is to be observed, the end of a turn to be summarised; the job's key is the event's id. */
export function workFor(event: RedactedEvent): NewJob | undefined {
  const kind = jobKinds[event.kind];
  if (kind === undefined) return undefined;
  return { kind, key: event.id, session: event.session, project: event.project };
}
