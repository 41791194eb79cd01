// One task with a model: it may call recall, and read the files that results were kept in, until it answers.
import { errorText, isObject } from "../../src/lib/index.ts";
import { type Block, isToolUse, type Message, type ToolUseBlock } from "../../src/messages/index.ts";
import type { LanguageModel } from "../../src/models/index.ts";
import type { Session } from "../../src/pipeline/index.ts";
import { descriptions } from "../../src/tools/words.ts";
import { recall } from "../../src/vault/index.ts";
import type { Task } from "./tasks.ts";
import type { Window } from "./window.ts";

export interface Played {
  readonly isCorrect: boolean;
  readonly requests: number;
  readonly recalls: number;
  /** Recalls of what is not there, or with arguments that make no sense. */
  readonly failedRecalls: number;
  /** The kept file read instead. */
  readonly reads: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

const MOST_REQUESTS = 6;
const MOST_BYTES = 60_000;
const system =
  "You are a coding agent in the middle of its work. Answer questions from what is known; where something that you need has left the conversation, get it back with your tools before you answer. If you cannot know, say that you do not know.";

const text = { type: "string" } as const;
const agentTools = [
  { name: "Read", description: "Reads a file.", input_schema: object({ file_path: text }, ["file_path"]) },
  { name: "Bash", description: "Runs a command.", input_schema: object({ command: text }, ["command"]) },
];
const recallTool = {
  name: "recall",
  description: descriptions.recall,
  input_schema: object({ handle: text, lines: { ...text, description: "A-B" }, pattern: text }, ["handle"]),
};

function object(properties: Record<string, unknown>, required: readonly string[]) {
  return { type: "object", properties, required };
}

function selectionOf({ lines, pattern }: Readonly<Record<string, unknown>>) {
  const range = /^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(String(lines ?? ""));
  if (pattern) return { maxBytes: MOST_BYTES, pattern: String(pattern) };
  return range
    ? { maxBytes: MOST_BYTES, lines: [Number(range[1]), Number(range[2])] as const }
    : { maxBytes: MOST_BYTES };
}

interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

/** What a call gives. There is no machine behind these conversations: what was not kept cannot be run again. */
function answer({ name, input }: ToolUseBlock, session: Session | undefined): Answered {
  const given = isObject(input) ? input : {};
  try {
    if (session && name === "recall")
      return {
        text: recall(session.vault, String(given.handle ?? ""), selectionOf(given)).text,
        isError: false,
      };
    if (session && name === "Read" && given.file_path === session.results.fileOf("needed"))
      return { text: recall(session.vault, "needed", { maxBytes: MOST_BYTES }).text, isError: false };
  } catch (error) {
    return { text: errorText(error), isError: true };
  }
  return { text: "This machine is not reachable any more.", isError: true };
}

function resultOf(call: ToolUseBlock, { text: content, isError }: Answered): Block {
  return { type: "tool_result", tool_use_id: call.id, content, ...(isError ? { is_error: true } : {}) };
}

/** Throws what the model's provider says went wrong. */
export async function play(model: LanguageModel, task: Task, window: Window): Promise<Played> {
  const tools = window.session ? [...agentTools, recallTool] : agentTools;
  const tally = { requests: 0, recalls: 0, failedRecalls: 0, reads: 0, promptTokens: 0, outputTokens: 0 };
  let messages: readonly Message[] = window.messages;
  for (;;) {
    const outcome = await model.complete({ purpose: "bench", system, messages, tools, maxTokens: 1_000 });
    if (!outcome.ok) throw new Error(`${outcome.error.kind}: ${outcome.error.message}`);
    const { reply } = outcome;
    tally.requests++;
    const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, output = 0 } = reply.usage ?? {};
    tally.promptTokens += input + cacheRead + cacheWrite5m + cacheWrite1h;
    tally.outputTokens += output;
    const calls = reply.blocks.filter(isToolUse);
    if (calls.length === 0 || tally.requests >= MOST_REQUESTS)
      return { ...tally, isCorrect: reply.text.includes(task.answer) };
    const results = calls.map((call) => {
      const answered = answer(call, window.session);
      if (call.name === "recall") tally.recalls++;
      if (call.name === "recall" && answered.isError) tally.failedRecalls++;
      if (call.name === "Read" && !answered.isError) tally.reads++;
      return resultOf(call, answered);
    });
    messages = [
      ...messages,
      { role: "assistant", content: reply.blocks },
      { role: "user", content: results },
    ];
  }
}
