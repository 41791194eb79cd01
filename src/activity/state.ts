// The state a session is in at the end of a conversation: plan mode, the plan in force, skills, tasks in the background.

import { defined, isObject } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  isText,
  isToolResult,
  type ToolPair,
  textOf,
  toolPairs,
} from "../messages/index.ts";
import { inputOf, outcomeOf, textField } from "./calls.ts";
import type { Activity, Todo } from "./model.ts";

/** Instructions that were loaded into the conversation by name. */
export interface InvokedSkill {
  readonly name: string;
  /** Its instructions, where they are known. */
  readonly content?: string;
}

export interface RunningTask {
  readonly id: string;
  /** What it is about, in a few words. */
  readonly about: string;
}

export interface SessionState {
  /** The plan that is followed, or worked on in plan mode. One whose tasks are all done is not in force any more. */
  readonly plan?: string;
  readonly planMode: boolean;
  /** The one invoked last first. */
  readonly skills: readonly InvokedSkill[];
  /** Started in the background and not seen to end. */
  readonly tasks: readonly RunningTask[];
}

export function sessionState(history: History): SessionState {
  const pairs = toolPairs(history);
  const planMode = isPlanning(history, pairs);
  const plan = planInForce(pairs, planMode);
  return {
    planMode,
    skills: skillsOf(history, pairs),
    tasks: runningTasks(history, pairs),
    ...defined({ plan }),
  };
}

/** The texts of the messages that are not results of tools, with where they stand. */
function* clientTexts(history: History): Generator<{ readonly at: number; readonly text: string }> {
  for (const [at, { message }] of history.entries()) {
    if (message.role === "assistant") continue;
    for (const block of blocksOf(message)) if (isText(block)) yield { at, text: block.text };
  }
}

const reminder = /<system-reminder>([\s\S]*?)<\/system-reminder>/g;

/** By the tools that turn it on and off, and by the client's own reminders: the latest word counts. */
function isPlanning(history: History, pairs: readonly ToolPair[]): boolean {
  const words: { readonly at: number; readonly on: boolean }[] = [];
  for (const pair of pairs) {
    if (outcomeOf(pair) !== "ok") continue;
    if (pair.name === "EnterPlanMode") words.push({ at: pair.useAt.item, on: true });
    if (pair.name === "ExitPlanMode") words.push({ at: pair.useAt.item, on: false });
  }
  for (const { at, text } of clientTexts(history)) {
    const said =
      history[at]?.message.role === "system"
        ? text
        : [...text.matchAll(reminder)].map(([, inner]) => inner).join("\n");
    if (/\bPlan mode is (?:still )?active\b/.test(said)) words.push({ at, on: true });
    else if (/\bexited plan mode\b/i.test(said)) words.push({ at, on: false });
  }
  return words.sort((a, b) => a.at - b.at).at(-1)?.on ?? false;
}

function planInForce(pairs: readonly ToolPair[], planMode: boolean): string | undefined {
  const plan = planOf(pairs);
  if (!plan || !(plan.approved || planMode)) return undefined;
  const since = todosOf(pairs.filter(({ useAt }) => useAt.item > plan.at));
  const isDone = since.length > 0 && since.every(({ status }) => status === "completed");
  return isDone ? undefined : plan.text;
}

const skillOpening = /^Base directory for this skill: (.+)/;

/** A plugin's skill is called by a longer name than that of its folder. */
const shortName = (name: string) => name.split(/[:/\\]/).at(-1) ?? name;

/** By calls of the tool, and by the instructions that a client loads when a person names a skill. */
function skillsOf(history: History, pairs: readonly ToolPair[]): InvokedSkill[] {
  const found: (InvokedSkill & { readonly at: number })[] = [];
  for (const pair of pairs) {
    const name =
      pair.name === "Skill" && outcomeOf(pair) === "ok" ? textField(pair, "skill", "command") : undefined;
    if (name !== undefined) found.push({ at: pair.useAt.item, name });
  }
  for (const { at, text } of clientTexts(history)) {
    const folder = skillOpening.exec(text)?.[1]?.trim();
    if (folder !== undefined) found.push({ at, name: shortName(folder), content: text });
  }
  const skills = new Map<string, InvokedSkill>();
  for (const { name, content } of found.sort((a, b) => a.at - b.at)) {
    const known = skills.get(shortName(name));
    const full = known && known.name.length > name.length ? known.name : name;
    const text = content ?? known?.content;
    skills.delete(shortName(name));
    skills.set(shortName(name), { name: full, ...defined({ content: text }) });
  }
  return [...skills.values()].reverse();
}

const started = /\bagentId: (\w[\w-]*)|\bin (?:the )?background with ID: (\w[\w-]*)/i;
const ended = /<status>(?:completed|failed|killed|stopped|cancelled)<\/status>/;

function runningTasks(history: History, pairs: readonly ToolPair[]): RunningTask[] {
  const running = new Map<string, RunningTask>();
  const finish = (id: string | undefined): void => {
    if (id !== undefined) running.delete(id);
  };
  for (const pair of pairs) {
    if (outcomeOf(pair) !== "ok") continue;
    const result = textOf(pair.result?.content);
    const asked = textField(pair, "task_id", "bash_id", "shell_id", "agentId");
    if (/^(?:KillShell|KillBash|TaskStop)$/.test(pair.name) || ended.test(result)) finish(asked);
    const id = wasStarted(pair) ? started.exec(result)?.slice(1).find(Boolean) : undefined;
    if (id !== undefined)
      running.set(id, { id, about: textField(pair, "description", "command", "prompt") ?? pair.name });
  }
  for (const { message } of history) {
    for (const block of blocksOf(message)) {
      if (isToolResult(block) || !isText(block) || !block.text.includes("<task-notification>")) continue;
      if (ended.test(block.text)) finish(/<task-id>(.+?)<\/task-id>/.exec(block.text)?.[1]);
    }
  }
  return [...running.values()];
}

/** Asked for, or put there by the client because it took long. */
function wasStarted({ name, result }: ToolPair): boolean {
  const isRunner = /^(?:Task|Agent|Bash|PowerShell)$/.test(name);
  return isRunner && /background/i.test(textOf(result?.content).slice(0, 1_000));
}

/** Written as a whole by one tool, or task by task by two others; the latest word counts. */
export function todosOf(pairs: readonly ToolPair[]): Todo[] {
  const tasks = new Map<string, Todo>();
  for (const pair of pairs) {
    const { todos, status } = inputOf(pair);
    if (pair.name === "TodoWrite" && Array.isArray(todos)) {
      tasks.clear();
      readList(todos).forEach((todo, index) => {
        tasks.set(`list ${index}`, todo);
      });
    } else if (pair.name === "TaskCreate" && outcomeOf(pair) === "ok") {
      const text = textField(pair, "subject", "description");
      if (text) tasks.set(numberIn(pair) ?? `call ${pair.id}`, { text, status: "pending" });
    } else if (pair.name === "TaskUpdate" && outcomeOf(pair) === "ok") {
      const id = textField(pair, "taskId") ?? "";
      const known = tasks.get(id);
      if (!known) continue;
      if (status === "deleted") tasks.delete(id);
      else
        tasks.set(id, {
          text: textField(pair, "subject") ?? known.text,
          status: status === undefined ? known.status : statusOf(status),
        });
    }
  }
  return [...tasks.values()];
}

function readList(todos: readonly unknown[]): Todo[] {
  return todos.flatMap((todo) =>
    isObject(todo) && typeof todo.content === "string"
      ? [{ text: todo.content, status: statusOf(todo.status) }]
      : [],
  );
}

const statusOf = (status: unknown) =>
  status === "completed" || status === "in_progress" ? status : "pending";

/** The number that a new task was given is only in the answer. */
function numberIn(pair: ToolPair): string | undefined {
  return /^Task #(\S+) created/.exec(textOf(pair.result?.content))?.[1];
}

/** The plan that was last put before the user, approved or not. */
export function planOf(pairs: readonly ToolPair[]): Activity["plan"] {
  const last = pairs.findLast(
    (pair) => pair.name === "ExitPlanMode" && textField(pair, "plan") !== undefined,
  );
  const text = last && textField(last, "plan");
  return last && text ? { at: last.useAt.item, text, approved: outcomeOf(last) === "ok" } : undefined;
}
