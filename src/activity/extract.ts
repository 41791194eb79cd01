// One extractor for everybody who wants to know what happened: from messages alone, without a model.
import { defined, firstCharacters, sha256 } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  isText,
  type ToolPair,
  textOf,
  toolPairs,
  userWords,
} from "../messages/index.ts";
import { exitCode, fileOfCall, isShell, outcomeOf, textField } from "./calls.ts";
import type { Activity, CommandRun, Delegation, Failure, FileActivity, Saying, UserInput } from "./model.ts";
import { planOf, todosOf } from "./state.ts";

export function extractActivity(history: History): Activity {
  const pairs = toolPairs(history);
  const inputs = userInputs(history);
  const commands = commandsOf(pairs);
  const lastWords = lastAssistantWords(history);
  const plan = planOf(pairs);
  const open = openRequest(history, inputs);
  return {
    inputs,
    files: filesOf(pairs),
    commands,
    failures: failuresOf(pairs),
    todos: todosOf(pairs),
    ...(plan ? { plan } : {}),
    decisions: sayings(history, inputs, "decision"),
    constraints: sayings(history, inputs, "constraint"),
    delegations: delegationsOf(pairs),
    ...(open ? { openRequest: open } : {}),
    ...(lastWords ? { lastWords } : {}),
  };
}

function userInputs(history: History): UserInput[] {
  return history.flatMap((item, at) => {
    const text = userWords(item);
    return text === "" ? [] : [{ item: item.id, at, text }];
  });
}

function openRequest(history: History, inputs: readonly UserInput[]): Activity["openRequest"] {
  const last = inputs.at(-1);
  if (!last) return undefined;
  const final = history.at(-1)?.message;
  const calls = final ? blocksOf(final).some(({ type }) => type === "tool_use") : false;
  return { ...last, answered: final?.role === "assistant" && !calls };
}

function lastAssistantWords(history: History): Activity["lastWords"] {
  for (let at = history.length - 1; at >= 0; at--) {
    const message = history[at]?.message;
    if (message?.role !== "assistant") continue;
    const text = blocksOf(message)
      .filter(isText)
      .map((block) => block.text)
      .join("\n")
      .trim();
    if (text !== "") return { at, text };
  }
  return undefined;
}

function filesOf(pairs: readonly ToolPair[]): FileActivity[] {
  const files = new Map<string, FileActivity>();
  for (const pair of pairs) {
    const call = fileOfCall(pair);
    if (!call || outcomeOf(pair) === "failed") continue;
    const { path, action } = call;
    const known = files.get(path) ?? { path, reads: 0, edits: 0, writes: 0, lastDeed: action, lastAt: 0 };
    const lastRead =
      action === "read" && pair.result
        ? { lastRead: { toolUseId: pair.id, hash: sha256(textOf(pair.result.content)).slice(0, 12) } }
        : {};
    files.delete(path);
    files.set(path, {
      ...known,
      ...lastRead,
      reads: known.reads + Number(action === "read"),
      edits: known.edits + Number(action === "edited"),
      writes: known.writes + Number(action === "written"),
      lastDeed: action,
      lastAt: pair.useAt.item,
    });
  }
  return [...files.values()];
}

const alarming = /\b(error|failed|failure|fatal|panic|exception|cannot|not found|undefined|denied)\b|✗|FAIL/i;
const LONGEST_LINE = 240;
const LONGEST_REPORT = 600;

/** The line of an output that says most: the first that sounds alarmed when it failed, otherwise the last. */
function meaningfulLine(text: string, failed: boolean): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !exitCode.test(line));
  const line = (failed ? lines.find((one) => alarming.test(one)) : undefined) ?? lines.at(-1) ?? "";
  return firstCharacters(line, LONGEST_LINE);
}

function commandsOf(pairs: readonly ToolPair[]): CommandRun[] {
  return pairs.flatMap((pair) => {
    const command = isShell(pair) ? textField(pair, "command") : undefined;
    if (command === undefined) return [];
    const outcome = outcomeOf(pair);
    const tells = meaningfulLine(textOf(pair.result?.content), outcome === "failed");
    return [{ at: pair.useAt.item, toolUseId: pair.id, command, outcome, tells }];
  });
}

/** What a call tried, in one line that two attempts at the same thing share. */
function attemptOf(pair: ToolPair): string {
  const command = textField(pair, "command");
  const target = command ?? textField(pair, "file_path", "path", "pattern", "url", "description", "query");
  return `${pair.name} ${(target ?? "").replace(/\s+/g, " ").trim()}`.trim();
}

function failuresOf(pairs: readonly ToolPair[]): Failure[] {
  return pairs.flatMap((pair, index) => {
    if (outcomeOf(pair) !== "failed") return [];
    const attempt = attemptOf(pair);
    const error = meaningfulLine(textOf(pair.result?.content), true);
    const fixedBy = fixOf(pairs, index, attempt);
    return [
      { at: pair.useAt.item, toolUseId: pair.id, tool: pair.name, attempt, error, ...defined({ fixedBy }) },
    ];
  });
}

/** What was changed between a failure and the next success of the same attempt. */
function fixOf(pairs: readonly ToolPair[], failed: number, attempt: string): string | undefined {
  const changed: string[] = [];
  for (const pair of pairs.slice(failed + 1)) {
    if (attemptOf(pair) === attempt && outcomeOf(pair) === "ok") {
      return changed.length === 0
        ? "it succeeded when tried again"
        : `changes in ${[...new Set(changed)].join(", ")}`;
    }
    const call = fileOfCall(pair);
    if (call && call.action !== "read" && outcomeOf(pair) === "ok") changed.push(call.path);
  }
  return undefined;
}

function delegationsOf(pairs: readonly ToolPair[]): Delegation[] {
  return pairs.flatMap((pair) => {
    const task =
      pair.name === "Task" || pair.name === "Agent" ? textField(pair, "description", "prompt") : undefined;
    if (task === undefined) return [];
    const outcome = outcomeOf(pair);
    return [
      { at: pair.useAt.item, task: firstCharacters(task, LONGEST_LINE), outcome, report: reportOf(pair) },
    ];
  });
}

/** Claude Code's words around a subagent's: whose they are, and how to go on talking to it. */
const frame = /^\[Subagent hand-back\].*$|^agentId: [\s\S]*/gm;

function reportOf(pair: ToolPair): string {
  const words = textOf(pair.result?.content).replace(frame, "");
  return firstCharacters(words.replace(/\s+/g, " ").trim(), LONGEST_REPORT);
}

/** A person's constraints; decisions of both sides. Each sentence once, where it was said last. */
function sayings(history: History, inputs: readonly UserInput[], kind: "constraint" | "decision"): Saying[] {
  const found = new Map<string, Saying>();
  const note = (at: number, by: Saying["by"], text: string): void => {
    for (const sentence of sentencesOf(text)) {
      if (kind === "constraint" ? !isConstraint(sentence) : !isDecision(sentence)) continue;
      found.delete(sentence);
      found.set(sentence, { at, by, text: sentence });
    }
  };
  for (const { at, text } of inputs) note(at, "user", text);
  if (kind === "decision") {
    history.forEach(({ message }, at) => {
      if (message.role !== "assistant") return;
      for (const block of blocksOf(message)) if (isText(block)) note(at, "assistant", block.text);
    });
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/** A person limits or demands something, in English or Chinese. */
const constraint =
  /\b(must(?: not)?|never|always|don'?t|do not|avoid|only use|make sure|ensure|required?|no need to|instead of|without (?:touching|changing|breaking)|keep (?:the|it|this))\b|不要|不能|别|必须|务必|一定要|只能|禁止|避免|保持/i;

/** A choice that was made. */
const decision =
  /\b(decid(?:e|ed|ing)|we(?:'ll| will) (?:use|go|keep|do)|let'?s (?:use|go with|do|keep|not)|i(?:'ll| will) go with|going with|chose|chosen|the approach|settled on|rather than|agreed)\b|决定|选择|采用|改用|就用|方案/i;

const LONGEST = 400;

/** Sentences of a text, in order; code fences and long lines are left out. */
export function sentencesOf(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, "\n");
  return prose
    .split(/(?<=[.!?])\s+|(?<=[。！？；])|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*#-]+/, "").trim())
    .filter((sentence) => sentence.length >= 4 && sentence.length <= LONGEST);
}

function isConstraint(sentence: string): boolean {
  return constraint.test(sentence);
}

export function isDecision(sentence: string): boolean {
  return decision.test(sentence);
}
