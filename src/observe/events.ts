// Kept events as a conversation: the prompt, each call with its result, and the words the turn ended with.
import { isObject, type JsonObject } from "../lib/index.ts";
import type { History, HistoryItem, Message } from "../messages/index.ts";

/** What is read of a kept event. */
interface TurnEvent {
  readonly id: string;
  readonly kind: string;
  /** ISO time. */
  readonly at: string;
  readonly payload: JsonObject;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** In the order of the events. A call is named by its event's id. */
export function historyOfEvents(events: readonly TurnEvent[]): History {
  return events.flatMap((event) =>
    messagesOf(event).map(
      (message, index): HistoryItem => ({ id: `${event.id}/${index}`, at: Date.parse(event.at), message }),
    ),
  );
}

function messagesOf({ id, kind, payload }: TurnEvent): Message[] {
  if (kind === "prompt") return [{ role: "user", content: text(payload.prompt) }];
  if (kind === "stop" || kind === "subagent-stop") {
    const words = text(payload.last_assistant_message);
    return words === "" ? [] : [{ role: "assistant", content: words }];
  }
  if (kind !== "tool" && kind !== "tool-failure") return [];
  const use = {
    type: "tool_use",
    id,
    name: text(payload.tool_name) || "tool",
    input: payload.tool_input ?? {},
  };
  const result =
    kind === "tool-failure"
      ? { content: text(payload.error), is_error: true }
      : { content: responseText(payload.tool_response) };
  return [
    { role: "assistant", content: [use] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, ...result }] },
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
