// The API's rules for a message array: `check` names every place that breaks one.

import { defined, sumOf } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  isBlock,
  isServerToolResult,
  isServerToolUse,
  isText,
  isThinking,
  type Message,
} from "./model.ts";

/** Every rule, with the sentence that explains it. */
export const violationMeanings = {
  "no-messages": "a request needs at least one message",
  "too-many-messages": "a request may hold at most 100,000 messages",
  "unknown-role": "a role is user, assistant or system",
  "bad-content": "content is a string or an array of blocks that each have a type",
  "first-role":
    "the first message must be the user's (or an assistant message that opens with a compaction block)",
  "last-role": "the last message must not be the assistant's: prefill is not accepted",
  "empty-content": "a message must have content",
  "empty-text": "a text block must not be empty",
  "system-placement": "a system message follows a user message and is last or followed by the assistant",
  "system-content": "a system message holds text only",
  "block-misplaced": "this kind of block does not belong into a message of this role",
  "tool-use-unanswered": "every tool_use is answered by a tool_result in the next user message",
  "tool-result-orphan": "a tool_result needs its tool_use in the assistant message just before",
  "tool-result-not-first": "tool_result blocks come before everything else in their message",
  "tool-result-repeated": "a tool_use is answered once",
  "tool-use-repeated": "tool_use ids are unique",
  "server-tool-unanswered": "a server or MCP tool call is answered inside the same assistant message",
  "server-tool-orphan": "the result of a server or MCP tool follows its call in the same assistant message",
  "thinking-last": "an assistant message must not end with thinking",
  "thinking-unsigned": "a thinking block needs its signature (redacted thinking: its data)",
  "too-many-breakpoints": "at most 4 blocks may carry cache_control",
  "breakpoint-misplaced": "thinking and empty text cannot carry cache_control",
  "too-many-images": "a request may hold at most 600 images and PDF pages (100 on 200k models)",
  "too-large": "a request may be at most 32 MB",
} as const;

export type ViolationCode = keyof typeof violationMeanings;

export interface Violation {
  readonly code: ViolationCode;
  /** Index of the message; 0 for what concerns the whole array. */
  readonly message: number;
  readonly block?: number;
  readonly meaning: string;
}

interface CheckRules {
  /** Models up to Claude 4.5 let the array end with the assistant's message. */
  readonly allowPrefill?: boolean;
}

/** What one request may hold, whatever is in it. */
export const requestLimits = {
  maxMessages: 100_000,
  maxBreakpoints: 4,
  maxImages: 600,
  maxBytes: 32 * 1024 * 1024,
};

type ReportViolation = (code: ViolationCode, message: number, block?: number) => void;

interface PlacedBlock {
  readonly block: Block;
  readonly message: number;
  readonly index: number;
}

/** Neighbours of one role, which the API reads as one message. */
interface MessageRun {
  readonly role: string;
  readonly blocks: PlacedBlock[];
  readonly first: number;
}

/** Every violation in the array, in order of place; an empty answer means the API takes it. */
export function check(messages: readonly Message[], { allowPrefill = false }: CheckRules = {}): Violation[] {
  const found: Violation[] = [];
  const report: ReportViolation = (code, message, block) => {
    found.push({ code, message, ...defined({ block }), meaning: violationMeanings[code] });
  };
  if (messages.length === 0) report("no-messages", 0);
  const { maxMessages } = requestLimits;
  if (messages.length > maxMessages) report("too-many-messages", maxMessages);
  const readable = messages.filter((message, index) => isReadable(message, index, report));
  if (readable.length === messages.length) {
    const runs = runsOf(messages);
    checkBlocks(messages, report);
    checkRoles(messages, runs, allowPrefill, report);
    checkToolPairs(runs, report);
    checkServerTools(runs, report);
    checkLimits(messages, report);
  }
  return found.sort((a, b) => a.message - b.message || (a.block ?? -1) - (b.block ?? -1));
}

function isReadable(message: unknown, index: number, report: ReportViolation) {
  if (typeof message !== "object" || message === null) {
    report("bad-content", index);
    return false;
  }
  const { role, content } = message as { role?: unknown; content?: unknown };
  const roleKnown = role === "user" || role === "assistant" || role === "system";
  if (!roleKnown) report("unknown-role", index);
  const contentKnown = typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
  if (!contentKnown) report("bad-content", index);
  return roleKnown && contentKnown;
}

function runsOf(messages: readonly Message[]) {
  const runs: MessageRun[] = [];
  messages.forEach((message, at) => {
    const { role } = message;
    if (runs.at(-1)?.role !== role) runs.push({ role, blocks: [], first: at });
    blocksOf(message).forEach((block, index) => {
      runs.at(-1)?.blocks.push({ block, message: at, index });
    });
  });
  return runs;
}

function checkRoles(
  messages: readonly Message[],
  runs: readonly MessageRun[],
  allowPrefill: boolean,
  report: ReportViolation,
) {
  const first = runs[0];
  const opensWithCompaction = first?.role === "assistant" && first.blocks[0]?.block.type === "compaction";
  if (first && first.role !== "user" && !opensWithCompaction) report("first-role", 0);
  const last = runs.at(-1);
  if (last?.role === "assistant" && !allowPrefill && !awaitsServerTool(last))
    report("last-role", messages.length - 1);
  runs.forEach((run, index) => {
    if (run.role !== "system") return;
    const before = runs[index - 1]?.role;
    const after = runs[index + 1]?.role;
    if (before !== "user" || (after !== undefined && after !== "assistant"))
      report("system-placement", run.first);
  });
}

/** A paused turn: the server goes on with its own tool when the array is sent back as it is. */
function awaitsServerTool(run: MessageRun) {
  const answered = new Set(run.blocks.map(({ block }) => block.tool_use_id));
  return run.blocks.some(({ block }) => isServerToolUse(block) && !answered.has(block.id));
}

function checkBlocks(messages: readonly Message[], report: ReportViolation) {
  messages.forEach((message, at) => {
    const blocks = blocksOf(message);
    if (blocks.length === 0 && message.role !== "system") report("empty-content", at);
    blocks.forEach((block, index) => {
      checkBlock(message, block, at, index, report);
    });
    const next = messages[at + 1];
    const last = blocks.at(-1);
    if (message.role === "assistant" && next?.role !== "assistant" && last && isThinking(last))
      report("thinking-last", at, blocks.length - 1);
  });
}

function checkBlock(message: Message, block: Block, at: number, index: number, report: ReportViolation) {
  const { role } = message;
  if (isText(block) && block.text === "") {
    report("empty-text", at, index);
    if (block.cache_control) report("breakpoint-misplaced", at, index);
  }
  if (isThinking(block)) {
    const seal = block.type === "thinking" ? block.signature : block.data;
    if (typeof seal !== "string" || seal === "") report("thinking-unsigned", at, index);
    if (block.cache_control) report("breakpoint-misplaced", at, index);
  }
  const assistantOnly =
    isThinking(block) || block.type === "tool_use" || isServerToolUse(block) || isServerToolResult(block);
  if (assistantOnly ? role !== "assistant" : block.type === "tool_result" && role !== "user") {
    report(role === "system" ? "system-content" : "block-misplaced", at, index);
  } else if (role === "system" && (block.type === "image" || block.type === "document")) {
    report("system-content", at, index);
  }
}

function checkToolPairs(runs: readonly MessageRun[], report: ReportViolation) {
  const everUsed = new Set<string>();
  runs.forEach((run, index) => {
    if (run.role === "user") checkResults(run, runs[index - 1], report);
    if (run.role !== "assistant") return;
    const answers = fieldsIn(runs[index + 1], "user", "tool_result", "tool_use_id");
    for (const { block, message, index: place } of run.blocks) {
      if (block.type !== "tool_use") continue;
      const id = String(block.id);
      if (everUsed.has(id)) report("tool-use-repeated", message, place);
      everUsed.add(id);
      if (!answers.has(block.id)) report("tool-use-unanswered", message, place);
    }
  });
}

/** A field of all blocks of a type, where the run is of that role. */
function fieldsIn(run: MessageRun | undefined, role: string, type: string, field: string) {
  const blocks = run?.role === role ? run.blocks : [];
  return new Set(blocks.flatMap(({ block }) => (block.type === type ? [block[field]] : [])));
}

function checkResults(run: MessageRun, before: MessageRun | undefined, report: ReportViolation) {
  const calls = fieldsIn(before, "assistant", "tool_use", "id");
  const answered = new Set<unknown>();
  let otherSeen = false;
  for (const { block, message, index } of run.blocks) {
    if (block.type !== "tool_result") {
      otherSeen = true;
      continue;
    }
    if (otherSeen) report("tool-result-not-first", message, index);
    if (!calls.has(block.tool_use_id)) report("tool-result-orphan", message, index);
    else if (answered.has(block.tool_use_id)) report("tool-result-repeated", message, index);
    answered.add(block.tool_use_id);
  }
}

function checkServerTools(runs: readonly MessageRun[], report: ReportViolation) {
  runs.forEach((run, runIndex) => {
    if (run.role !== "assistant") return;
    const open = new Map<string, PlacedBlock>();
    for (const placed of run.blocks) {
      const { block } = placed;
      if (isServerToolUse(block)) open.set(block.id, placed);
      else if (isServerToolResult(block) && !open.delete(block.tool_use_id)) {
        report("server-tool-orphan", placed.message, placed.index);
      }
    }
    const next = runs[runIndex + 1];
    const onlyResultsFollow =
      next === undefined || next.blocks.every(({ block }) => block.type === "tool_result");
    if (onlyResultsFollow && runIndex >= runs.length - 2) return;
    for (const { message, index } of open.values()) report("server-tool-unanswered", message, index);
  });
}

function checkLimits(messages: readonly Message[], report: ReportViolation) {
  const { maxBreakpoints, maxImages, maxBytes } = requestLimits;
  let breakpoints = 0;
  let images = 0;
  let characters = 0;
  messages.forEach((message, at) => {
    blocksOf(message).forEach((block, index) => {
      if (block.cache_control && ++breakpoints > maxBreakpoints) report("too-many-breakpoints", at, index);
      if (block.type === "image" && ++images === maxImages + 1) report("too-many-images", at, index);
    });
    characters += contentLength(message);
  });
  // A cheap count decides whether the exact one is worth making: UTF-8 and escapes at most sextuple it.
  if (characters * 6 > maxBytes && Buffer.byteLength(JSON.stringify(messages)) > maxBytes)
    report("too-large", 0);
}

const lengths = new WeakMap<object, number>();

/** Characters of a message's texts, counted once for the same content. */
export function contentLength({ content }: Message) {
  if (typeof content === "string") return content.length;
  let length = lengths.get(content);
  if (length === undefined) {
    length = sumOf(content, stringLengths);
    lengths.set(content, length);
  }
  return length;
}

function stringLengths(value: unknown) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return sumOf(Object.values(value), stringLengths);
}
