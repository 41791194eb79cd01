// The state a session is in at the end of a conversation: plan mode, the plan in force, skills, tasks in the background.

import { defined } from "../lib/index.ts";
import { blocksOf, type History, isText, isToolResult } from "../messages/index.ts";
import { planOf, todosOf } from "./tasks.ts";
import { callsIn, type ToolCall, textField } from "./toolCall.ts";

/** Instructions that were loaded into the conversation by name. */
export interface InvokedSkill {
  readonly name: string;
  /** Its instructions, where they are known. */
  readonly content?: string;
}

/** A task or agent that runs in the background. */
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
  const calls = callsIn(history);
  const planMode = isPlanning(history, calls);
  const plan = planInForce(calls, planMode);
  return {
    planMode,
    skills: skillsOf(history, calls),
    tasks: runningTasks(history, calls),
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
function isPlanning(history: History, calls: readonly ToolCall[]) {
  const words: { readonly at: number; readonly on: boolean }[] = [];
  for (const call of calls) {
    if (call.outcome !== "ok") continue;
    if (call.name === "EnterPlanMode") words.push({ at: call.at, on: true });
    if (call.name === "ExitPlanMode") words.push({ at: call.at, on: false });
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

function planInForce(calls: readonly ToolCall[], planMode: boolean) {
  const plan = planOf(calls);
  if (!plan || !(plan.approved || planMode)) return undefined;
  const since = todosOf(calls.filter(({ at }) => at > plan.at));
  const isDone = since.length > 0 && since.every(({ status }) => status === "completed");
  return isDone ? undefined : plan.text;
}

const skillOpening = /^Base directory for this skill: (.+)/;

/** A plugin's skill is called by a longer name than that of its folder. */
const shortName = (name: string) => name.split(/[:/\\]/).at(-1) ?? name;

/** By calls of the tool, and by the instructions that a client loads when a person names a skill. */
function skillsOf(history: History, calls: readonly ToolCall[]) {
  const found: (InvokedSkill & { readonly at: number })[] = [];
  for (const call of calls) {
    const name =
      call.name === "Skill" && call.outcome === "ok" ? textField(call, "skill", "command") : undefined;
    if (name !== undefined) found.push({ at: call.at, name });
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

function runningTasks(history: History, calls: readonly ToolCall[]) {
  const running = new Map<string, RunningTask>();
  const finish = (id: string | undefined) => {
    if (id !== undefined) running.delete(id);
  };
  for (const call of calls) {
    if (call.outcome !== "ok") continue;
    const result = call.output;
    const asked = textField(call, "task_id", "bash_id", "shell_id", "agentId");
    if (/^(?:KillShell|KillBash|TaskStop)$/.test(call.name) || ended.test(result)) finish(asked);
    const id = wasStarted(call) ? started.exec(result)?.slice(1).find(Boolean) : undefined;
    if (id !== undefined)
      running.set(id, { id, about: textField(call, "description", "command", "prompt") ?? call.name });
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
function wasStarted({ name, output }: ToolCall) {
  const isRunner = /^(?:Task|Agent|Bash|PowerShell)$/.test(name);
  return isRunner && /background/i.test(output.slice(0, 1_000));
}
