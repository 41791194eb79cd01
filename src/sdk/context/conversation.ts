// The conversation of a session as it was last sent or received, and on disk, so that another process can resume it.
import path from "node:path";
import { appendLines, isObject, parseJson, readIfThere } from "../../lib/index.ts";
import { type Message, sameMessage } from "../../messages/index.ts";

export interface ConversationLog {
  /** The conversation, with the last response. */
  readonly messages: readonly Message[];
  /** Makes these messages the conversation: writes what is new, and where it departs from what was there. */
  record(messages: readonly Message[]): void;
  /** Adds a response. The next request usually repeats it. */
  add(message: Message): void;
}

/** One line a message. `{"keep": n}` says that only the first n messages of those before it still count. */
export function openConversation(folder: string | undefined): ConversationLog {
  const file = folder === undefined ? undefined : path.join(folder, "conversation.jsonl");
  const known = file === undefined ? [] : readMessages(file);
  const write = (lines: readonly object[]) => {
    if (file === undefined) return;
    appendLines(
      file,
      lines.map((line) => JSON.stringify(line)),
      { sync: false },
    );
  };
  const replaceFrom = (start: number, added: readonly Message[]) => {
    write([...(start < known.length ? [{ keep: start }] : []), ...added]);
    known.length = start;
    for (const message of added) known.push(message);
  };
  return {
    messages: known,
    record(messages) {
      const same = commonMessages(known, messages);
      if (same < known.length || same < messages.length) replaceFrom(same, messages.slice(same));
      // The caller's own objects: equal ones are compared by identity from now on.
      for (let at = 0; at < same; at++) known[at] = messages[at] as Message;
    },
    add: (message) => replaceFrom(known.length, [message]),
  };
}

function commonMessages(one: readonly Message[], other: readonly Message[]) {
  const limit = Math.min(one.length, other.length);
  let at = 0;
  while (at < limit && sameMessage(one[at] as Message, other[at] as Message)) at++;
  return at;
}

/** A line that a crash left torn is skipped, and so is everything that is no message. */
function readMessages(file: string) {
  const messages: Message[] = [];
  for (const line of (readIfThere(file) ?? "").split("\n")) {
    const value = line === "" ? undefined : parseJson(line);
    if (!isObject(value)) continue;
    if (typeof value.keep === "number") messages.length = Math.min(messages.length, Math.max(0, value.keep));
    else if (isMessage(value)) messages.push(value);
  }
  return messages;
}

const isMessage = (value: object): value is Message => "role" in value && "content" in value;
