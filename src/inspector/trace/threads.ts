// The threads of a transcript with the times of their rows: the main one, and those of subagents below the calls that started them.
import { callsIn, type ToolCall } from "../../activity/index.ts";
import { textOf } from "../../messages/index.ts";
import { type Conversation, scanEntries, type TranscriptItem } from "../../transcript/index.ts";

/** When each row was written, by its id. */
export type RowTimes = ReadonlyMap<string, number>;

export interface CallOfThread {
  readonly call: ToolCall;
  readonly depth: number;
}

/** Messages are merged of several rows, and their blocks were written one after the other. */
export async function rowTimes(files: readonly string[]): Promise<RowTimes> {
  const times = new Map<string, number>();
  for (const file of files) {
    for await (const { entries } of scanEntries(file)) {
      for (const { id, at } of entries) {
        if (id !== undefined && at !== undefined && !times.has(id)) times.set(id, at);
      }
    }
  }
  return times;
}

const taskOf = ({ input }: ToolCall) => (typeof input.prompt === "string" ? input.prompt.trim() : "");

const firstWords = (items: readonly TranscriptItem[]) =>
  textOf(items.find(({ message }) => message.role === "user")?.message.content ?? "").trim();

/** Calls of a thread, each followed by those of the subagent that it started. A subagent is known by the task it was given. */
export function callsByThread({
  items,
  sidechains,
}: Pick<Conversation, "items" | "sidechains">): CallOfThread[] {
  const waiting = sidechains.map((chain) => ({ task: firstWords(chain.items), calls: callsIn(chain.items) }));
  const below = (calls: readonly ToolCall[], depth: number): CallOfThread[] =>
    calls.flatMap((call) => {
      const task = taskOf(call);
      const found = task === "" ? -1 : waiting.findIndex((chain) => chain.task === task);
      const [chain] = found < 0 ? [] : waiting.splice(found, 1);
      return [{ call, depth }, ...(chain ? below(chain.calls, depth + 1) : [])];
    });
  return below(callsIn(items), 0);
}
