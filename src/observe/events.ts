// Kept events as a turn: the prompt, each call with its result, and the words the turn ended with.
import { outcomeOfResult, parseAgentSummary, type ToolCall } from "../activity/index.ts";
import { isObject, type JsonObject } from "../lib/index.ts";
import type { TurnToObserve } from "./model.ts";

/** What is read of a kept event. */
interface TurnEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: JsonObject;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** A call is named by its event's id. */
export function turnOfEvents(
  events: readonly TurnEvent[],
): Pick<TurnToObserve, "request" | "calls" | "words" | "rows" | "agentSummary"> {
  const ofKind = (...kinds: readonly string[]) => events.filter(({ kind }) => kinds.includes(kind));
  const prompts = ofKind("prompt");
  const stop = ofKind("stop", "subagent-stop").at(-1);
  const words = text(stop?.payload.last_assistant_message);
  const at = events.findLastIndex(({ kind }) => kind === "post-compact");
  const parts = parseAgentSummary(text(events[at]?.payload.compact_summary));
  return {
    request: prompts.map(({ payload }) => text(payload.prompt)).join("\n"),
    calls: events.flatMap(callOfEvent),
    words,
    rows: { request: prompts[0]?.id, words: stop?.id },
    ...(parts && { agentSummary: { at, row: events[at]?.id ?? "", parts, isOvertaken: words !== "" } }),
  };
}

function callOfEvent({ id, kind, payload }: TurnEvent, at: number): ToolCall[] {
  if (kind !== "tool" && kind !== "tool-failure") return [];
  const isFailure = kind === "tool-failure";
  const output = isFailure ? text(payload.error) : responseText(payload.tool_response);
  return [
    {
      id,
      name: text(payload.tool_name) || "tool",
      input: isObject(payload.tool_input) ? payload.tool_input : {},
      output,
      outcome: outcomeOfResult(output, isFailure),
      at,
      row: id,
    },
  ];
}

/** The readable part of whatever a tool gave back. */
function responseText(response: unknown): string {
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return response.map(responseText).filter(Boolean).join("\n");
  if (!isObject(response)) return "";
  const { file, filenames } = response;
  const said = [
    response.stdout,
    response.stderr,
    response.text,
    response.result,
    response.output,
    response.message,
  ];
  if (isObject(file)) said.push(file.content);
  // Written files answer with what they were given; whether there was one before is all that is new.
  else if (text(response.filePath) !== "") said.push(response.type === "create" ? "created" : "updated");
  else said.push(response.content);
  if (Array.isArray(filenames)) said.push(filenames.filter((name) => typeof name === "string").join("\n"));
  if (isObject(response.answers))
    said.push(
      Object.entries(response.answers)
        .map(([question, answer]) => `"${question}"="${text(answer)}"`)
        .join(", "),
    );
  return said.map(responseText).filter(Boolean).join("\n");
}
