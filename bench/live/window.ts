// The windows of a task: with handles as the pipeline leaves them, whole, and with what is needed gone without a trace.
import { HOUR } from "../../src/lib/index.ts";
import type { Message } from "../../src/messages/index.ts";
import {
  CLEARED,
  memorySession,
  type PipelineSettings,
  prepare,
  type Session,
  thriftySettings,
} from "../../src/pipeline/index.ts";
import { readableText } from "../../src/replay/index.ts";
import type { Task } from "./tasks.ts";

export const conditions = ["with handles", "all in view", "gone without a handle"] as const;

export type Condition = (typeof conditions)[number];

export interface Window {
  readonly messages: readonly Message[];
  /** What recall answers from; absent where there is nothing to recall. */
  readonly session?: Session;
}

const COMPACT_TO = 6_000;

/** Tasks are short: what the default would leave in view is spilled and cleared here. */
const settings: PipelineSettings = {
  ...thriftySettings,
  budget: { ...thriftySettings.budget, resultLimit: 2_500, toolLimits: { Read: 24_000 }, stays: 0 },
  microcompact: { ...thriftySettings.microcompact, keepRecent: 2, smallest: 400 },
};

/** What the pipeline would send, an hour after everything before the question. */
function managed({ messages, way }: Task, model: string): Window {
  const session = memorySession("live", { settings });
  const began = Date.UTC(2026, 0, 1);
  const send = (part: readonly Message[], now: number, compact?: number): readonly Message[] =>
    prepare({ session, messages: part, model, now, ...(compact ? { compact: { to: compact } } : {}) })
      .messages;
  // The requests that came before: each decides what of the newest result is sent at all.
  const ends = messages.flatMap(({ role }, at) => (role === "user" ? [at + 1] : [])).slice(0, -1);
  for (const [at, end] of ends.entries()) send(messages.slice(0, end), began + at * 1_000);
  const later = began + (way === "cleared when the cache was cold" ? 2 * HOUR : ends.length * 1_000);
  return { session, messages: send(messages, later, way === "compacted" ? COMPACT_TO : undefined) };
}

function withoutHandle({ messages }: Task): readonly Message[] {
  return messages.map((message) =>
    typeof message.content === "string"
      ? message
      : {
          ...message,
          content: message.content.map((block) =>
            block.type === "tool_result" && block.tool_use_id === "needed"
              ? { ...block, content: CLEARED }
              : block,
          ),
        },
  );
}

/** Throws where a task would measure nothing: its answer still stands in a window without it. */
export function windowOf(task: Task, condition: Condition, model: string): Window {
  if (condition === "all in view") return { messages: task.messages };
  const window = condition === "with handles" ? managed(task, model) : { messages: withoutHandle(task) };
  if (window.messages.some((message) => readableText(message).includes(task.answer)))
    throw new Error(`${task.name}, ${task.way}: the answer is in view ${condition}`);
  return window;
}

/** The handles that a window names. */
export function handlesIn({ messages }: Window): string[] {
  const text = messages.map(readableText).join("\n");
  return [...new Set(text.match(/\btl:[0-9a-f]{6,64}\b/g) ?? [])];
}
